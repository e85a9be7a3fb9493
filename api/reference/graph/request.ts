import { z } from 'zod';
import { parseJson } from '../../../reference/rows/json.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { readJson } from '../../http/exact-json.js';
import { invalid, quote, readQuery } from '../../http/parameters.js';
import type { ReferenceContext } from '../state.js';

/** A call of the graph, by GET or by POST. */
export interface GraphCall {
  method: 'GET' | 'POST';
  query: string | undefined;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** SHA-256 of the query, in hexadecimal digits. */
  digest: string | undefined;
}

export const LIMIT_BYTES = 128 * 1_024;
const DIGEST = /^[0-9a-f]{64}$/;

const map = (name: string) => z.record(z.string(), z.unknown(), `${name} must be an object`).nullish();
const text = (name: string) => z.string(`${name} must be text`).nullish();
const Extensions = z
  .looseObject(
    {
      persistedQuery: z
        .object(
          {
            version: z.literal(1n, 'extensions.persistedQuery.version must be 1'),
            sha256Hash: z
              .string('extensions.persistedQuery.sha256Hash must be text')
              .regex(DIGEST, 'extensions.persistedQuery.sha256Hash must be 64 hexadecimal digits in lower case'),
          },
          'extensions.persistedQuery must be an object',
        )
        .optional(),
    },
    'extensions must be an object',
  )
  .nullish();
const Body = z.strictObject(
  { query: text('query'), operationName: text('operationName'), variables: map('variables'), extensions: Extensions },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `parameter ${issue.keys.join(', ')} is unknown: send query, operationName, variables or extensions`
        : 'the body must be an object',
  },
);

/** Reads a `POST` with a JSON body. @throws body.type, body.too_large, body.malformed */
export async function readPost(ctx: ReferenceContext): Promise<GraphCall> {
  readQuery(ctx, []);
  const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
  return toCall('POST', given);
}

/** Reads a `GET`, whose `variables` and `extensions` are JSON. @throws parameter.invalid, parameter.unknown */
export function readGet(ctx: ReferenceContext): GraphCall {
  const { variables, extensions, ...given } = readQuery(ctx, ['query', 'operationName', 'variables', 'extensions']);
  return toCall('GET', {
    ...given,
    ...(variables !== undefined && { variables: parseMember('variables', variables) }),
    ...(extensions !== undefined && { extensions: parseMember('extensions', extensions) }),
  });
}

function parseMember(name: string, given: string): unknown {
  try {
    return parseJson(given);
  } catch {
    throw invalid(name, `${quote(given)} is not JSON: send a JSON object`);
  }
}

/** @throws body.malformed */
export function toCall(method: GraphCall['method'], given: unknown): GraphCall {
  const result = Body.safeParse(given);
  if (!result.success)
    throw new SlipwayError(
      'body.malformed',
      result.error.issues[0]?.message ?? 'the body is no GraphQL request: send an object with query',
    );
  const { query, operationName, variables, extensions } = result.data;
  const digest = extensions?.persistedQuery?.sha256Hash;
  if (query == null && digest === undefined)
    throw new SlipwayError('body.malformed', 'query is missing: send query, or extensions.persistedQuery');
  return {
    method,
    query: query ?? undefined,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    digest,
  };
}
