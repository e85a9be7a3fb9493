import { z } from 'zod';
import { ApiKeyRequest } from '../../platform/kinds/api-key.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Problem, toPointer } from '../../platform/kinds/problem.js';
import type { ApiKeys } from '../../platform/stores/api-keys.js';
import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { geoPointsOf } from '../../reference/dataset/geo-point.js';
import { parseFilter } from '../../reference/filter/index.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { readJson, readOptionalJson } from '../http/exact-json.js';
import { requireScope } from './credentials.js';
import { quote, readQuery } from '../http/parameters.js';
import type { ReferenceStep } from './state.js';

const LIMIT_BYTES = 16 * 1_024;
const WEEK_SECONDS = 7 * 86_400;
const Rotation = z.strictObject({
  /** Time that the previous secret stays valid. */
  overlap_seconds: z
    .preprocess((value) => (typeof value === 'bigint' ? Number(value) : value), z.int().min(0).max(WEEK_SECONDS))
    .default(3_600),
});

/** `/v2/keys`: the secret of a key is shown once, in the answer that created it. */
export function createKeyRoutes({ keys, datasets }: { keys: ApiKeys; datasets: Datasets }) {
  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    ctx.body = { items: await keys.list() };
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await keys.get(ctx.params.id ?? '');
  };

  const issue: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const request = parse(ApiKeyRequest, given);
    // A caller cannot issue a key with a scope that it does not have itself.
    for (const scope of request.scopes) requireScope(ctx.state.client, scope);
    requireValid(Object.entries(request.row_filters ?? {}).flatMap((each) => filterProblems(datasets, each)));
    const { key, secret } = await keys.issue(request, ctx.state.client.actor);
    ctx.status = 201;
    ctx.set('Location', `/v2/keys/${key.id}`);
    ctx.body = { ...key, secret };
  };

  const rotate: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const id = ctx.params.id ?? '';
    const { scopes } = await keys.get(id);
    for (const scope of scopes) requireScope(ctx.state.client, scope);
    const given = await readOptionalJson(ctx, { limitBytes: LIMIT_BYTES });
    const { overlap_seconds } = parse(Rotation, given);
    const { key, secret } = await keys.rotate(id, overlap_seconds, ctx.state.client.actor);
    ctx.body = { ...key, secret };
  };

  const revoke: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    await keys.revoke(ctx.params.id ?? '', ctx.state.client.actor);
    ctx.status = 204;
  };

  return { list, read, issue, rotate, revoke };
}

/** Members of a row that a change does not keep, so that a stream could not apply a filter on them. */
const UNKNOWN_BEFORE = ['version', 'created_at', 'updated_at'];

function filterProblems(datasets: Datasets, [name, text]: [string, string]): Problem[] {
  const pointer = toPointer(['row_filters', name]);
  const code = 'entity.invalid';
  const spec = datasets.find(name)?.declaration.spec;
  if (spec === undefined) return [{ code, pointer, message: `there is no dataset ${quote(name)}` }];
  const leaves = leavesOf(spec);
  const usable = new Map([...leaves].filter(([path]) => !UNKNOWN_BEFORE.includes(path)));
  const result = parseFilter(text, { dataset: name, leaves: usable, points: geoPointsOf(spec, leaves) });
  return result.ok ? [] : result.problems.map(({ message }) => ({ code, pointer, message }));
}

/** @throws entity.invalid with a pointer for each problem */
function parse<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const toProblem = ({ path, message }: z.core.$ZodIssue): Problem => ({
    code: 'entity.invalid',
    pointer: toPointer(path),
    message,
  });
  throw invalid(result.error.issues.map(toProblem));
}

function requireValid(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(problems);
}

function invalid(problems: readonly Problem[]): SlipwayError {
  return new SlipwayError(
    'entity.invalid',
    'the key request is invalid: correct each entry of errors and send it again',
    { problems },
  );
}
