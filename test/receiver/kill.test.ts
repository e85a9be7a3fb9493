import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Moment, startReceiver } from './receiver-process.js';
import { newId, nowSeconds } from './sender.js';

test.each([
  // The sender gets no answer in both cases. The states of the receiver differ, and the next attempt shows which.
  ['after the effect', 'new'],
  ['before the answer', 'duplicate'],
] as [Moment, string][])(
  'killed %s, a receiver with transactions has one effect after the next attempt',
  async (moment, receipt) => {
    const place = await mkdtemp(join(tmpdir(), 'slipway-receiver-'));
    const id = newId();
    const mortal = await startReceiver({ kind: 'sql', place }, moment);
    await expect(mortal.post({ id })).rejects.toThrow('fetch failed');
    expect(await mortal.ended).toEqual([null, 'SIGKILL']);

    const next = await startReceiver({ kind: 'sql', place }, 'never');
    expect(await next.count()).toBe(moment === 'before the answer' ? 1 : 0);
    expect((await next.ask(id)).status).toBe(moment === 'before the answer' ? 200 : 404);
    expect(await next.post({ id, timestamp: nowSeconds() + 1 })).toMatchObject({ status: 200, receipt });
    expect(await next.count()).toBe(1);
    await next.kill();
    await rm(place, { recursive: true });
  },
);
