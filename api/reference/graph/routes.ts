import { GraphQLError, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import { createAnswerGraph, createDocuments, type Cursors } from '../../../reference/graph/index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Datasets } from '../../../reference/stores/datasets.js';
import { logHidden, toSlipwayError } from '../../http/errors.js';
import { awaitMinVersions, awaitVersion, minVersionOf } from '../freshness.js';
import { type PageTokens, queryText } from '../page-token.js';
import { requireDeclaredAt, ruleFor } from '../row-rules.js';
import type { Client, ReferenceContext, ReferenceStep } from '../state.js';
import { createPersistedQueries } from './persisted-queries.js';
import { type GraphCall, readGet, readPost } from './request.js';
import { type GraphReply, MEDIA_TYPES, type MediaType, toErrorReply, toReply } from './response.js';
import { createGraphSchemas, createRowCaches } from './schemas.js';

export interface GraphRoutesOptions {
  datasets: Datasets;
  tokens: PageTokens;
  logger: Logger;
}

/** The caller, and the form of the answer that it accepts. */
export interface Asking {
  client: Client;
  requestId: string;
  type: MediaType;
  /** Dataset versions that the answer must include, as in the header `slipway-min-version`. */
  minVersion?: string | undefined;
}
export type AnswerCall = (call: GraphCall, asking: Asking) => Promise<GraphReply>;

/** Answers calls from memory; an error of a call is answered in the form of GraphQL. */
export function createAnswerCall({ datasets, tokens, logger }: GraphRoutesOptions): AnswerCall {
  const documents = createDocuments();
  const schemas = createGraphSchemas({ datasets, documents });
  const persisted = createPersistedQueries();
  const cursors: Cursors = {
    queryOf: queryText,
    seal: (place) => tokens.seal(place),
    async versionOf(cursor, dataset) {
      const version = tokens.versionOf(cursor);
      await awaitVersion(datasets.get(dataset).dataset, version);
      return version;
    },
    open: (cursor, { query, dataset, generation }) =>
      tokens.open(cursor, { query, dataset: datasets.get(dataset).dataset, generation }),
  };
  const answerGraph = createAnswerGraph({ cursors, rowsOf: createRowCaches() });

  async function answer(call: GraphCall, { client, type, minVersion }: Asking): Promise<GraphReply> {
    const text = persisted.textOf(call);
    const document = documents.parse(text);
    if (
      call.method === 'GET' &&
      document.operations.some(({ operation }) => operation === OperationTypeNode.MUTATION)
    ) {
      throw new SlipwayError('path.method', 'a mutation cannot be sent by GET: send it by POST');
    }
    if (minVersion !== undefined) {
      await awaitMinVersions(minVersion, schemas.namedIn(document, schemas.readableBy(client)));
    }
    const readable = schemas.readableBy(client);
    const errors = schemas.validate(readable, document, client);
    if (errors.length > 0) return toErrorReply(errors, type);
    persisted.keep(text, call);
    const { operationName, variables } = call;
    const { graph, viewOf } = readable;
    if (client.rowFilters === undefined) {
      return toReply(await answerGraph({ graph, document, operationName, variables, viewOf }));
    }
    // Cached texts contain rows that this client may not see: it shares none.
    const answerOwn = createAnswerGraph({ cursors, rowsOf: createRowCaches() });
    const ruled = (name: string) => {
      const view = viewOf(name);
      const rule = ruleFor(client, { dataset: name, ...view.index });
      requireDeclaredAt(rule, view.index.declaration, view.version);
      return { ...view, rule };
    };
    return toReply(await answerOwn({ graph, document, operationName, variables, viewOf: ruled }));
  }

  return (call, asking) =>
    answer(call, asking).catch((cause: unknown) => {
      const error = toGraphQLError(cause);
      const { originalError } = error;
      if (originalError instanceof SlipwayError) logHidden(originalError, { logger, requestId: asking.requestId });
      return toErrorReply([error], asking.type);
    });
}

/** `GET` and `POST /v2/graphql`, by the specification "GraphQL over HTTP". */
export function createGraphRoutes(answer: AnswerCall) {
  async function reply(ctx: ReferenceContext, read: () => GraphCall | Promise<GraphCall>): Promise<void> {
    const type = typeOf(ctx);
    const { client, requestId } = ctx.state;
    const asking = { client, requestId, type, minVersion: minVersionOf(ctx) };
    const { status, body } = await answer(await read(), asking);
    ctx.status = status;
    ctx.type = `${type}; charset=utf-8`;
    ctx.body = body;
    if (status === 503) ctx.set('Retry-After', '1');
    if (status === 405) ctx.set('Allow', 'GET, POST');
  }

  const get: ReferenceStep = (ctx) => reply(ctx, () => readGet(ctx));
  const post: ReferenceStep = (ctx) => reply(ctx, () => readPost(ctx));
  return { get, post };
}

/** @throws accept.unsupported */
function typeOf(ctx: ReferenceContext): MediaType {
  const type = ctx.accepts([...MEDIA_TYPES]);
  const found = MEDIA_TYPES.find((each) => each === type);
  if (found === undefined)
    throw new SlipwayError(
      'accept.unsupported',
      `no media type of Accept is supported: send ${MEDIA_TYPES.join(' or ')}`,
    );
  return found;
}

function toGraphQLError(cause: unknown): GraphQLError {
  if (cause instanceof GraphQLError) return cause;
  const error = toSlipwayError(cause);
  return new GraphQLError(error.message, { originalError: error });
}
