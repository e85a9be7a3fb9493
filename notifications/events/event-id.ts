import { createHash } from 'node:crypto';

/** Returns the id of an event. It follows from the identity of the event alone, so every process returns the same id. */
export function eventId(stream: string, subject: string, version: number | string, type: string): string {
  const hash = createHash('sha256').update([stream, subject, version, type].join('\0')).digest('base64url');
  return `evt_${hash.replaceAll(/[-_]/g, '').slice(0, 24)}`;
}
