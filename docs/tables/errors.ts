import { PROBLEM_TEXTS } from '../../api/http/problem-texts.js';
import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import { CLIENT_ERROR_TEXTS, MANAGEMENT_ERROR_TEXTS, REASON_TEXTS } from './error-texts.js';
import { code, markdownTable } from './markdown.js';

/** Codes of `/v2` that name an error of the shared layers. */
const SHARED = {
  'store.full': 'disk_full',
  'store.unavailable': 'unavailable',
  'quota.exceeded': 'quota_exceeded',
} as const;

/** Errors of the management API and of the gateway. */
export const managementErrorsTable = (): string =>
  markdownTable(
    ['code', 'status', 'cause', 'remedy'],
    byStatus(MANAGEMENT_ERROR_TEXTS, (name) => name).map(([name, { cause, remedy }]) => [
      code(name),
      statusText(name),
      cause,
      remedy,
    ]),
  );

/** Errors of reference data and notifications. */
export const dataErrorsTable = (): string =>
  markdownTable(
    ['code', 'status', 'cause', 'remedy'],
    byStatus(PROBLEM_TEXTS, toErrorCode).map(([name, { title, help }]) => [
      code(name),
      statusText(toErrorCode(name)),
      title,
      help,
    ]),
  );

/** Failures of runs and deployments. */
export const reasonsTable = (): string =>
  markdownTable(
    ['reason', 'cause', 'remedy'],
    Object.entries(REASON_TEXTS).map(([name, { cause, remedy }]) => [code(name), cause, remedy]),
  );

/** Errors that the TypeScript client and the command line find themselves. */
export const clientErrorsTable = (): string =>
  markdownTable(
    ['code', 'cause', 'remedy'],
    Object.entries(CLIENT_ERROR_TEXTS).map(([name, { cause, remedy }]) => [code(name), cause, remedy]),
  );

const toErrorCode = (name: keyof typeof PROBLEM_TEXTS): ErrorCode =>
  name === 'store.full' || name === 'store.unavailable' || name === 'quota.exceeded' ? SHARED[name] : name;

function byStatus<K extends string, T>(texts: Readonly<Record<K, T>>, toCode: (name: K) => ErrorCode): [K, T][] {
  const statusOf = (name: K): number => new SlipwayError(toCode(name), '').status;
  return (Object.entries(texts) as [K, T][]).sort(([a], [b]) => statusOf(a) - statusOf(b) || (a < b ? -1 : 1));
}

/** The status; an asterisk marks codes that a repeat may cure. */
function statusText(name: ErrorCode): string {
  const { status, retryable } = new SlipwayError(name, '');
  return `${status}${retryable ? '\\*' : ''}`;
}
