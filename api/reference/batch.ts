import { z } from 'zod';
import { ID_WORDS, parseId } from '../../reference/rows/id.js';
import { newId } from '../../reference/rows/id-generator.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { RowWrite, RowWrites } from '../../reference/stores/row-writes.js';
import type { ChangeResult } from '../../reference/stores/change-writer.js';
import { readJson } from '../http/exact-json.js';
import { checkPrecondition, parseIfMatch, type Precondition } from './precondition.js';
import { toProblem } from '../http/problem.js';
import { restrictWrite } from './row-rules.js';
import { readQuery } from '../http/parameters.js';
import { etagOf } from './representation.js';
import type { Client, ReferenceStep } from './state.js';

const LIMIT_BYTES = 4 * 2 ** 20;
const MOST = 500;
const ROW_LIMIT_BYTES = 64 * 1_024;

const Id = z.unknown().transform((given, context) => {
  const id = parseId(given);
  if (id === undefined) context.addIssue({ code: 'custom', message: `is not an id: send ${ID_WORDS}` });
  return id ?? 0n;
});
const IfMatch = z.string('must be text').optional();
const Row = z.unknown();
const Item = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ op: z.literal('create'), entity: Row }),
    z.strictObject({ op: z.literal('put'), id: Id, if_match: IfMatch, entity: Row }),
    z.strictObject({ op: z.literal('patch'), id: Id, if_match: IfMatch, entity: Row }),
    z.strictObject({ op: z.literal('delete'), id: Id, if_match: IfMatch }),
  ],
  'must be an object with an op of: create, put, patch, delete',
);
type Item = z.infer<typeof Item>;

/** `POST /v2/{dataset}/batch`: each item is written and answered independently. */
export function createBatch({
  datasets,
  writes,
  now = () => new Date(),
}: {
  datasets: Datasets;
  writes: RowWrites;
  now?: () => Date;
}): ReferenceStep {
  async function apply(
    item: Item,
    client: Client,
    write: Omit<RowWrite, 'id' | 'check'>,
  ): Promise<ChangeResult & { id: bigint }> {
    const id = item.op === 'create' ? newId(now()) : item.id;
    const precondition: Precondition =
      item.op === 'create'
        ? { kind: 'absent' }
        : item.if_match === undefined
          ? { kind: 'none' }
          : parseIfMatch(item.if_match);
    const whole: RowWrite = {
      ...write,
      id,
      check: (current, { generation, spec }) =>
        checkPrecondition(current, { precondition, generation, blind: spec.allow_blind_put }),
    };
    const creates = item.op === 'create' || item.op === 'put';
    const one = restrictWrite(client, whole, { datasets, creates });
    if (item.op === 'delete') return { id, ...(await writes.remove(one)) };
    if (item.op === 'patch') return { id, ...(await writes.patch(one, item.entity)) };
    return { id, ...(await writes.put(one, item.entity)) };
  }

  return async function batch(ctx) {
    readQuery(ctx, []);
    const name = ctx.params.dataset ?? '';
    datasets.get(name);
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    if (!Array.isArray(given))
      throw new SlipwayError('body.malformed', 'the body is no list: send a JSON list of items');
    if (given.length > MOST)
      throw new SlipwayError('body.too_large', `the batch has ${given.length} items: send at most ${MOST}`);
    const { client } = ctx.state;
    const { actor } = client;
    const results = await Promise.all(
      given.map(async (raw: unknown) => {
        try {
          const item = parse(raw);
          const { id, state, change } = await apply(item, client, { dataset: name, actor });
          const { generation } = datasets.get(name).declaration;
          const isNew = change !== undefined && change.previous === undefined;
          return {
            status: state?.body == null ? 204 : isNew ? 201 : 200,
            id: String(id),
            ...(state?.body != null && { etag: etagOf({ version: state.version, generation, ids: 'string' }) }),
          };
        } catch (cause) {
          if (!(cause instanceof SlipwayError)) throw cause;
          return { status: cause.status, problem: toProblem(cause, ctx.state.requestId) };
        }
      }),
    );
    ctx.set('slipway-version', String(datasets.get(name).dataset.replica.position));
    ctx.body = { items: results };
  };
}

/** @throws body.malformed, body.too_large */
function parse(raw: unknown): Item {
  const result = Item.safeParse(raw);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new SlipwayError('body.malformed', `${issue?.path.join('.') || 'the item'} ${issue?.message ?? ''}`);
  }
  if ('entity' in result.data && sizeOf(result.data.entity) > ROW_LIMIT_BYTES) {
    throw new SlipwayError('body.too_large', `the entity is larger than ${ROW_LIMIT_BYTES} bytes: send a smaller one`);
  }
  return result.data;
}

const sizeOf = (row: unknown): number =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))?.length ?? 0;
