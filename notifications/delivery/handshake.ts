/** What a receiver said to `OPTIONS`, in the headers of "HTTP 1.1 Web Hooks for Event Delivery" of CloudEvents 1.0. */
export interface Handshake {
  /** `WebHook-Allowed-Origin`: who may send, or `*`. */
  origin?: string;
  /** `WebHook-Allowed-Rate`: requests a minute, or `*`. */
  rate?: string;
}

/** What it comes to for a sender; without a grant of its own nothing changes, as receivers need not know of all this. */
export interface Grant {
  /** The answer is one that this sender can go by, or none at all. */
  ok: boolean;
  perMinute?: number;
}

/** @param sender the host that it said it was */
export function grantOf({ origin, rate }: Handshake, sender: string): Grant {
  if (origin === undefined) return { ok: rate === undefined };
  if (origin !== '*' && origin.toLowerCase() !== sender.toLowerCase()) return { ok: false };
  if (rate === undefined || rate === '*') return { ok: true };
  return /^[1-9]\d{0,8}$/.test(rate) ? { ok: true, perMinute: Number(rate) } : { ok: false };
}

export function describeHandshake({ origin, rate }: Handshake): string {
  const said = [origin !== undefined && `webhook-allowed-origin: ${origin}`, rate && `webhook-allowed-rate: ${rate}`];
  const words = said.filter(Boolean).join(', ');
  return words === '' ? '' : ` with ${words}`;
}
