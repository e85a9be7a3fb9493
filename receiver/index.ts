/** `slipway/receiver`: takes notices once; `/koa`, `/express` and `/fetch` mount it, `/memory`, `/mongo`, `/sql` store ids. */
export { parseVerifyingKey, WebhookKeyError } from '../notifications/delivery/signing-keys.js';
export type { VerifyingKey } from '../notifications/delivery/signing-keys.js';
export { verifyWebhook } from '../notifications/delivery/verify.js';
export type { RefusalCode, VerificationResult as Verdict, Verification } from '../notifications/delivery/verify.js';
export { ReceiverError } from './errors.js';
export type { ReceiverErrorCode } from './errors.js';
export { createHandler } from './handler.js';
export type { Handler, ReceiverOptions, ReceiverRequest } from './handler.js';
export type { WebhookEvent } from './message.js';
export type { Reply } from './reply.js';
export type { ReceiptRow, ReceiptRows } from './rows.js';
export type { Guarantee, Keeping, Known, Notice, ReceiptStore, Refused, Taken } from './store.js';
export { effectFirst, markFirst } from './without-transactions.js';
export type { MarkFirstOptions } from './without-transactions.js';
