import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../platform/stores/database.js';
import { openOracle, readOracle } from '../oracle.js';
import { openChaosReceiver } from '../receiver.js';
import { compareRecords, readSenderRecords } from '../verdict.js';
import { accepted, type PatientClient } from './patient-client.js';
import type { Load } from './load.js';

export interface NoticeFigures {
  /** Acknowledged writes. */
  writes: number;
  /** Without a notice, or whose notice had no effect. */
  lost: number;
  /** Effects of one notice beyond the first, and notices of one write beyond the first. */
  doubled: number;
  /** Requests for a notice that may have taken effect before; the receiver drops them. */
  repeats: number;
}

interface Options {
  client: PatientClient;
  database: Database;
  oracleFile: string;
  perSecond: number;
  report: (line: string) => void;
}

/** Writes rows at a steady pace; a receiver that drops repeats records the effect of each notice. */
export async function startNotices({
  client,
  database,
  oracleFile,
  perSecond,
  report,
}: Options): Promise<Load<NoticeFigures>> {
  const oracle = await openOracle(oracleFile);
  const receiver = await openChaosReceiver({ manners: 'dedupes', oracle });
  const dataset = `chaos_${Date.now()}`;
  const spec = { fields: { n: { type: 'integer' } }, allow_blind_put: true };
  accepted(await client.call('PUT', `/v2/datasets/${dataset}`, { kind: 'Dataset', id: dataset, spec }), 'the dataset');
  const { id, secret } = accepted(
    await client.call<{ id: string; secret: string }>('POST', '/v2/subscriptions', {
      ...{ name: dataset, url: receiver.url, types: [`dataset.${dataset}.*`], on_ambiguous: 'resend' },
    }),
    'the subscription',
  );
  receiver.trust(secret);
  accepted(await client.call('POST', `/v2/subscriptions/${id}/probe`), 'the probe');
  const values: number[] = [];
  const ending = new AbortController();

  /** Each write has a row of its own: one that arrives late, after its repeat, changes nothing. */
  const writing = (async () => {
    for (let n = 1; !ending.signal.aborted; n += 1) {
      accepted(await client.call('PUT', `/v2/${dataset}/${n}`, { n }), `row ${n}`);
      values.push(n);
      await sleep(1_000 / perSecond, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  writing.catch(() => {}); // `end` tells of it

  return {
    async end() {
      ending.abort();
      await writing;
    },
    async isSettled() {
      const { body, status } = await client.call<{ counts?: { pending: number; held: number }; minted?: number }>(
        'GET',
        `/v2/subscriptions/${id}`,
      );
      const { counts, minted = 0 } = body;
      return status === 200 && minted >= values.length && counts?.pending === 0 && counts.held === 0;
    },
    progress: () => `${values.length} rows`,
    async figures() {
      const records = await readSenderRecords(database, id);
      const effects = await readOracle(oracleFile);
      const { lost, doubledEffects, duplicatePosts } = compareRecords({
        ...{ values, records, effects, books: receiver.books },
      });
      const repeated = repeatsIn(records.notices.map(({ about }) => about));
      for (const about of repeated) report(`more than one notice tells of ${JSON.stringify(about)}`);
      for (const notice of repeatsIn(effects.map((each) => each.id))) report(`notice ${notice} had effect twice`);
      const done = new Set(effects.map((each) => each.id));
      for (const notice of records.notices) if (!done.has(notice.id)) report(`notice ${notice.id} had no effect`);
      return { writes: values.length, lost, doubled: doubledEffects + repeated.length, repeats: duplicatePosts };
    },
    async close() {
      ending.abort();
      await writing.catch(() => {});
      await receiver.close();
      await oracle.close();
    },
  };
}

/** The second and each further occurrence. */
const repeatsIn = <T>(items: readonly T[]): T[] => items.filter((item, at) => items.indexOf(item) !== at);
