/** The response of a receiver to `OPTIONS`, in the headers of "HTTP 1.1 Web Hooks for Event Delivery" of CloudEvents 1.0. */
export interface Handshake {
  /** `WebHook-Allowed-Origin`: who may send, or `*`. */
  origin?: string;
  /** `WebHook-Allowed-Rate`: requests a minute, or `*`. */
  rate?: string;
}

/** The rate that a handshake grants. Receivers need not support the handshake: without a grant nothing changes. */
export interface Grant {
  /** The headers are valid for this sender, or absent. */
  ok: boolean;
  perMinute?: number;
}

/** @param sender the host that the request named as its origin */
export function grantOf({ origin, rate }: Handshake, sender: string): Grant {
  if (origin === undefined) return { ok: rate === undefined };
  if (origin !== '*' && origin.toLowerCase() !== sender.toLowerCase()) return { ok: false };
  if (rate === undefined || rate === '*') return { ok: true };
  return /^[1-9]\d{0,8}$/.test(rate) ? { ok: true, perMinute: Number(rate) } : { ok: false };
}

export function describeHandshake({ origin, rate }: Handshake): string {
  const headers = [
    origin !== undefined && `webhook-allowed-origin: ${origin}`,
    rate && `webhook-allowed-rate: ${rate}`,
  ];
  const text = headers.filter(Boolean).join(', ');
  return text === '' ? '' : ` with ${text}`;
}
