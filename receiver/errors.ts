/** Every code of a receiver's own errors, and what to do about it. A code keeps its meaning for good. */
// prettier-ignore
const MESSAGES = {
  'options.invalid':       'the options of the receiver cannot be used',
  'body.already_read':     'something read the body before the receiver, and a signature is over its very bytes: mount the receiver before any body parser, or have the parser keep the bytes (express.raw)',
  'body.too_large':        'the body is too large',
  'body.aborted':          'the body broke off',
  'store.no_transactions': 'this MongoDB has no transactions, which need a replica set: use one, or mongoMarkFirst or mongoEffectFirst',
  'store.contended':       'other requests kept changing the receipt of this id',
} as const;
export type ReceiverErrorCode = keyof typeof MESSAGES;

export class ReceiverError extends Error {
  readonly code: ReceiverErrorCode;
  constructor(code: ReceiverErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? MESSAGES[code] : `${MESSAGES[code]}: ${detail}`, options);
    this.name = 'ReceiverError';
    this.code = code;
  }
}
