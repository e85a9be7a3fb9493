/** Reads the event of a webhook request; undefined for a probe and for the handshake, which carry none. */
export function deliveryOf(body: string): { type: string; reason?: string; message?: string } | undefined {
  if (body === '') return undefined;
  const { type, data } = JSON.parse(body) as { type: string; data: { reason?: string; message?: string } };
  return type === 'ops.probe' ? undefined : { type, ...data };
}
