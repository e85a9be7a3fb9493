import { CommanderError } from 'commander';
import { SlipwayApiError } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { messageOf } from './error-text.js';
import { EXIT, exitCodeOf } from './exit-codes.js';

/** Ends a command that has said what went wrong. */
export class OperationFailed extends Error {
  readonly exitCode: number;
  constructor(exitCode: number = EXIT.failed) {
    super('the operation failed');
    this.name = 'OperationFailed';
    this.exitCode = exitCode;
  }
}

interface Explained {
  exitCode: number;
  /** Nothing when the command has said it all. */
  message?: string;
}

/** The text of an error with the next step, and its exit code. */
export function explain(error: unknown): Explained {
  // Commander has printed help, or what is wrong with the command line.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  if (error instanceof OperationFailed) return { exitCode: error.exitCode };
  if (error instanceof SlipwayError) return { exitCode: exitCodeOf(error.code), message: error.message };
  if (error instanceof SlipwayApiError)
    return { exitCode: exitCodeOf(error.code, error.status), message: ofReply(error) };
  return { exitCode: EXIT.failed, message: `unexpected: ${messageOf(error)}` };
}

// prettier-ignore
const NEXT_STEPS: Readonly<Record<string, string>> = {
  unreachable:       'check the address (--server, SLIPWAY_SERVER) and whether the platform is up',
  not_slipway:       'check the address (--server, SLIPWAY_SERVER)',
  unauthenticated:   'the token was refused; log in again with "slipway login"',
  login_failed:      'check SLIPWAY_CLIENT_ID and SLIPWAY_CLIENT_SECRET, or log in again with "slipway login"',
  forbidden:         'your roles do not allow it; "slipway whoami" shows them',
  quota_exceeded:    '"slipway quota" shows what you hold and may hold',
  'dataset.schema_conflict': '"slipway apply --force" takes fields back that every row allows',
  'dataset.not_found':       '"slipway get datasets" shows those that exist',
  'auth.invalid':    'the token was refused; log in again with "slipway login"',
  'auth.scope':      'your roles do not give it; "slipway whoami" shows them',
  'subscription.not_found': '"slipway subscription list" shows those that exist',
  'delivery.not_found':     '"slipway delivery list --subscription <id>" shows those that exist',
  'subscription.disabled':  'see "slipway subscription describe <id>", then "slipway subscription resume <id>"',
  revision_mismatch: 'compare with "slipway diff", then try again',
  unavailable:       'it is the server\'s own trouble; try again in a while',
  internal:          'it is the server\'s own trouble; its log knows more under the name of the request',
};

const MOST_ISSUES = 10;

function ofReply({ message, code, status, requestId, issues }: SlipwayApiError): string {
  const about = [status > 0 ? `status ${status}` : '', requestId === undefined ? '' : `request ${requestId}`].filter(
    Boolean,
  );
  const next = NEXT_STEPS[code];
  // The sentence of the management API has them already.
  const more = issues.filter((issue) => !message.includes(issue.message)).slice(0, MOST_ISSUES);
  const details = more.map(({ path, message: text }) => `\n  ${[path, text].filter(Boolean).join(': ')}`).join('');
  return `${message}${about.length > 0 ? ` (${about.join(', ')})` : ''}${next === undefined ? '' : `; ${next}`}${details}`;
}
