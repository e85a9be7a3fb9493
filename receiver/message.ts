/** A CloudEvent in structured form, or a notice of a pipeline: what both have is a type. */
export interface WebhookEvent {
  type: string;
  data?: unknown;
  [attribute: string]: unknown;
}

const SECONDS_LIMIT = 1e12;

/** A type is what tells a notice from a signed tombstone, which must not pass for one. */
export function parseEvent(body: Uint8Array): WebhookEvent | undefined {
  const value = parseObject(body);
  return isEvent(value) ? value : undefined;
}

/** @returns `refuse_until`, in seconds */
export function parseTombstone(body: Uint8Array): number | undefined {
  const until = parseObject(body)?.refuse_until;
  return typeof until === 'number' && Number.isInteger(until) && until >= 0 && until < SECONDS_LIMIT
    ? until
    : undefined;
}

function parseObject(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isEvent = (value: Record<string, unknown> | undefined): value is WebhookEvent =>
  typeof value?.type === 'string' && value.type !== '';
