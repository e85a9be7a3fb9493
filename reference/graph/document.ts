import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { GRAPH_LIMITS } from './limits.js';
import { toGraphError } from './graph-errors.js';
import type { Fragments } from './selection.js';

/** A parsed document. */
export interface GraphDocument {
  document: DocumentNode;
  operations: readonly OperationDefinitionNode[];
  fragments: Fragments;
  /** Whether variables may select fields, through `@skip` and `@include`. */
  isConditional: boolean;
}

export type Documents = ReturnType<typeof createDocuments>;

/** A cache of documents: each is parsed once, and validated once per schema. */
export function createDocuments() {
  const parsed = new LRUCache<string, GraphDocument>({ max: GRAPH_LIMITS.documents });
  const valid = new WeakMap<GraphQLSchema, WeakSet<DocumentNode>>();
  return {
    /** @throws GraphQLError where it is no document; graphql.too_long, graphql.too_many_aliases */
    parse(text: string): GraphDocument {
      const known = parsed.get(text);
      if (known !== undefined) return known;
      const made = toDocument(parseText(text));
      parsed.set(text, made);
      return made;
    },
    /** Validates a document against the schema. */
    validate(schema: GraphQLSchema, { document }: GraphDocument): readonly GraphQLError[] {
      const known = valid.get(schema) ?? new WeakSet();
      if (known.has(document)) return [];
      const errors = validate(schema, document, undefined, { maxErrors: MOST_ERRORS });
      if (errors.length === 0) valid.set(schema, known.add(document));
      return errors;
    },
  };
}

const MOST_ERRORS = 20;

function toDocument(document: DocumentNode): GraphDocument {
  const { aliases, isConditional } = inspect(document);
  if (aliases > GRAPH_LIMITS.aliases) {
    throw refuse('graphql.too_many_aliases', `a document has at most ${GRAPH_LIMITS.aliases} aliases, not ${aliases}`);
  }
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const byName = new Map(fragments.map((each) => [each.name.value, each]));
  return { document, operations, fragments: byName, isConditional };
}

function parseText(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: GRAPH_LIMITS.tokens });
  } catch (cause) {
    // The parser reports it only through the message.
    if (!(cause instanceof GraphQLError) || !/more tha[nt] \d+ tokens/.test(cause.message)) throw cause;
    throw refuse('graphql.too_long', `a document has at most ${GRAPH_LIMITS.tokens} tokens`);
  }
}

function inspect(document: DocumentNode) {
  let aliases = 0;
  let isConditional = false;
  visit(document, {
    Field: ({ alias }) => {
      if (alias !== undefined) aliases += 1;
    },
    Directive: () => void (isConditional = true),
  });
  return { aliases, isConditional };
}

const refuse = (code: 'graphql.too_long' | 'graphql.too_many_aliases', message: string): GraphQLError =>
  toGraphError(new SlipwayError(code, message));

/** @throws graphql.operation */
export function findOperation({ operations }: GraphDocument, name: string | undefined): OperationDefinitionNode {
  const named = name === undefined ? operations : operations.filter((each) => each.name?.value === name);
  const [operation, other] = named;
  if (operation !== undefined && other === undefined) return operation;
  const why = operation === undefined ? 'there is no such operation' : 'there are several operations: name one';
  throw toGraphError(new SlipwayError('graphql.operation', why));
}
