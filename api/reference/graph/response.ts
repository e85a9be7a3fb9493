import type { GraphQLError } from 'graphql';
import type { GraphAnswer } from '../../../reference/graph/index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { isExplained } from '../../http/problem-texts.js';
import { publicCodeOf } from '../../http/problem.js';

/** Media types of GraphQL over HTTP; the first is the default. */
export const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export interface GraphReply {
  status: number;
  /** JSON text. */
  body: string;
}

export const toReply = ({ data, cost, versions }: GraphAnswer): GraphReply => ({
  status: 200,
  body: `{"data":${data},"extensions":${JSON.stringify({ versions, cost })}}`,
});

/** Codes of errors in the document itself: clients of `application/json` expect status 200 for them. */
const DOCUMENT_CODES: ReadonlySet<string> = new Set(['graphql.invalid', 'graphql.variables']);

/** A reply holds either data or errors, never both. */
export function toErrorReply(errors: readonly GraphQLError[], type: MediaType): GraphReply {
  const shown = errors.map(toError);
  const isPlain = type === 'application/json' && shown.every(({ extensions }) => DOCUMENT_CODES.has(extensions.code));
  const status = isPlain ? 200 : Math.max(...errors.map(statusOf));
  return { status, body: JSON.stringify({ errors: shown }) };
}

function toError(error: GraphQLError) {
  const { message, locations, path, originalError, extensions } = error;
  if (originalError instanceof SlipwayError) {
    const { expose, problems, members } = originalError;
    const rest = { ...members, ...(problems.length > 0 && { errors: problems }) };
    return {
      message: expose ? message : 'unexpected error',
      locations,
      path,
      extensions: { code: publicCodeOf(originalError), ...rest },
    };
  }
  const code =
    typeof extensions.code === 'string' && isExplained(extensions.code) ? extensions.code : 'graphql.invalid';
  return { message, locations, path, extensions: { code } };
}

const statusOf = ({ originalError }: GraphQLError): number =>
  originalError instanceof SlipwayError ? originalError.status : 400;
