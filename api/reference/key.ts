import { z } from 'zod';
import { ApiKeyRequest } from '../../platform/kinds/api-key.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toPointer } from '../../platform/kinds/problem.js';
import type { ApiKeys } from '../../platform/stores/api-keys.js';
import { readJson, readOptionalJson } from '../http/exact-json.js';
import { requireScope } from './credentials.js';
import { readQuery } from '../http/parameters.js';
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
export function createKeyRoutes({ keys }: { keys: ApiKeys }) {
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

/** @throws entity.invalid with a pointer for each problem */
function parse<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => ({
    code: 'entity.invalid',
    pointer: toPointer(path),
    message,
  }));
  throw new SlipwayError(
    'entity.invalid',
    'the key request is invalid: correct each entry of errors and send it again',
    { problems },
  );
}
