import { requireId } from '../../reference/rows/id.js';
import { newId } from '../../reference/rows/id-generator.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ChangeResult } from '../../reference/stores/change-writer.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { RowWrite, RowWrites } from '../../reference/stores/row-writes.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import { readJson } from '../http/exact-json.js';
import { callDigest } from '../http/idempotent-creation.js';
import { checkPrecondition, preconditionOf } from './precondition.js';
import { restrictWrite } from './row-rules.js';
import { readQuery } from '../http/parameters.js';
import { etagOf } from './representation.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface WriteRowOptions {
  datasets: Datasets;
  writes: RowWrites;
  reservedIds: ReservedIds;
  now?: () => Date;
}

const LIMIT_BYTES = 64 * 1_024;
const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];
const NEW_ID_TRIES = 5;

/** `PUT`, `PATCH`, `DELETE /v2/{dataset}/{id}` and `POST /v2/{dataset}`. */
export function createWriteRow({ datasets, writes, reservedIds, now = () => new Date() }: WriteRowOptions) {
  /** The write that a request asks for, before its body is read. */
  function begin(ctx: ReferenceContext, id: bigint, precondition = preconditionOf(ctx)): RowWrite {
    const dataset = ctx.params.dataset ?? '';
    readQuery(ctx, []);
    datasets.get(dataset);
    const { client } = ctx.state;
    const write: RowWrite = {
      dataset,
      id,
      actor: client.actor,
      check: (current, { generation, spec }) =>
        checkPrecondition(current, { precondition, generation, blind: spec.allow_blind_put }),
    };
    return restrictWrite(client, write, { datasets, creates: ctx.method === 'PUT' || ctx.method === 'POST' });
  }

  function answer(ctx: ReferenceContext, { dataset }: RowWrite, { state, position, change }: ChangeResult): void {
    const { generation } = datasets.get(dataset).declaration;
    ctx.set('slipway-version', String(position));
    if (state?.body == null) {
      ctx.status = 204;
      return;
    }
    ctx.set('ETag', etagOf({ version: state.version, generation, ids: 'string' }));
    ctx.status = change !== undefined && change.previous === undefined ? 201 : 200;
    ctx.type = 'application/json';
    ctx.body = state.body;
  }

  const put: ReferenceStep = async (ctx) => {
    const write = begin(ctx, requireId(ctx.params.id));
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    answer(ctx, write, await writes.put({ ...write, key: callDigest(ctx, digest) }, given));
    if (ctx.status === 201) ctx.set('Location', `/v2/${write.dataset}/${write.id}`);
  };

  const patch: ReferenceStep = async (ctx) => {
    const write = begin(ctx, requireId(ctx.params.id));
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES, types: PATCH_TYPES });
    answer(ctx, write, await writes.patch({ ...write, key: callDigest(ctx, digest) }, given));
  };

  const remove: ReferenceStep = async (ctx) => {
    const write = begin(ctx, requireId(ctx.params.id));
    answer(ctx, write, await writes.remove({ ...write, key: callDigest(ctx, '') }));
  };

  /** The result of an earlier try of this call; its row may have changed since. */
  async function earlierResult({ dataset, id, key }: RowWrite): Promise<ChangeResult | undefined> {
    const { records, replica } = datasets.get(dataset).dataset;
    const change = await records.get(String(id), 1);
    return change?.key === key && change?.body != null
      ? { change, state: { version: 1, body: change.body, at: change.at }, position: replica.position }
      : undefined;
  }

  /** Draws the id. A repeat with the same `Idempotency-Key` and body answers the row of the first call. */
  const create: ReferenceStep = async (ctx) => {
    const first = begin(ctx, newId(now()), { kind: 'absent' });
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const key = callDigest(ctx, '');
    for (let tries = 1; ; tries += 1) {
      const id = newId(now());
      const reserved = key === undefined ? { id } : await reservedIds.reserve(first.dataset, { key, digest }, id);
      const write = { ...first, key, id: reserved.id };
      const written = await writes.put(write, given).catch(async (err: unknown) => {
        if (!(err instanceof SlipwayError) || err.code !== 'write.precondition') throw err;
        const before = key === undefined ? undefined : await earlierResult(write);
        // Without a key, another row took the id first: the next id is tried.
        if (before === undefined && (key !== undefined || tries === NEW_ID_TRIES)) throw err;
        return before;
      });
      if (written === undefined) continue;
      answer(ctx, write, written);
      ctx.set('Location', `/v2/${write.dataset}/${write.id}`);
      return;
    }
  };

  return { put, patch, remove, create };
}
