import { afterAll } from 'vitest';
import { ALL_SCOPES, startTestReference } from '../api/reference/test-reference.js';
import { createSlipwayRunner } from './slipway.js';

/** An event with an integer that numbers of JavaScript do not have. */
export const EXACT = '{"data":{"id":9007199254740993}}';
const AT = '2026-02-11T09:30:12.114Z';

/** An API of notifications for a file of tests, with command lines of an operator; both end with the file. */
export async function startNotifications() {
  const api = await startTestReference();
  const token = await api.tokenOf(ALL_SCOPES);
  const slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: token });
  afterAll(async () => {
    await api.stop();
    await slipway.remove();
  });
  const spec = { fields: { status: { type: 'text' } } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec } });

  /** Creates a subscription with deliveries 1 to `count`, of which those named failed. @returns its id */
  async function subscribe(
    name: string,
    { count = 0, failed = [] }: { count?: number; failed?: readonly number[] } = {},
  ) {
    const body = { name, url: `https://${name}.example/`, types: ['dataset.positions.*'] };
    const { id } = (await api.call('POST', '/v2/subscriptions', { body })).body as { id: string };
    if (count === 0) return id;
    const notices = Array.from({ length: count }, (_, n) => ({
      ...{
        sequence: n + 1,
        id: `ntc_${id}_${n + 1}`,
        eventId: `evt_${n + 1}`,
        about: `positions/${n + 1}`,
        body: EXACT,
      },
      type: 'dataset.positions.updated',
    }));
    const sources = { positions: { position: 1, index: 0 } };
    await api.outbox.insert(id, { block: 1, from: 1, notices, sources, at: AT, token: 't' });
    for (const sequence of failed) {
      const settlement = { episode: 0, state: 'failed', by: 'exhausted', at: AT } as const;
      await api.ledger.settle({ subscription: id, sequence }, settlement);
    }
    return id;
  }
  return { api, slipway, subscribe };
}

/** Cells of a table, without the padding. */
export const cellsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
