import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from './platform.js';

const body = JSON.stringify({ columns: ['x'], data: [[10]] });

/** Calls a route by four callers, and counts which deployment answered. */
export function startLoad({ admin }: TestPlatform, url: string) {
  let found: string[] = [];
  let isOn = true;
  const { headers } = admin;
  const call = async (): Promise<void> => {
    const reply = await fetch(url, { method: 'POST', headers, body }).catch((err: unknown) => err);
    if (!(reply instanceof Response)) return void found.push('away');
    const text = await reply.text();
    found.push(reply.ok ? (reply.headers.get('x-slipway-deployment') ?? '') : `${reply.status} ${text}`);
  };
  const callers = Array.from({ length: 4 }, async () => {
    while (isOn) {
      await call();
      await sleep(5);
    }
  });
  return {
    /** @returns what answered since the last call of this */
    async during(until: () => Promise<unknown>): Promise<Map<string, number>> {
      found = [];
      await until();
      const counts = new Map<string, number>();
      for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
      return counts;
    },
    async stop(): Promise<void> {
      isOn = false;
      await Promise.all(callers);
    },
  };
}
