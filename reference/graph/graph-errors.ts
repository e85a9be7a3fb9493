import { type FieldNode, GraphQLError } from 'graphql';
import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import { GRAPH_LIMITS } from './limits.js';

/** The location of a field in a request. */
export interface FieldLocation {
  path: readonly string[];
  node: FieldNode;
}

/** Converts an error to a GraphQL error at a location of the request. */
export const toGraphError = (originalError: SlipwayError, at?: FieldLocation): GraphQLError =>
  new GraphQLError(originalError.message, { nodes: at?.node, path: at?.path, originalError });

export const graphError = (
  code: ErrorCode,
  message: string,
  at?: FieldLocation,
  members: Record<string, unknown> = {},
) => toGraphError(new SlipwayError(code, message, { members }), at);

/** Runs a function; a SlipwayError of it becomes a GraphQL error at this location. */
export function atField<Result>(at: FieldLocation, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof SlipwayError ? toGraphError(cause, at) : cause;
  }
}

/** `cost` is undefined when the number of fields alone exceeds the limit. */
export function tooCostly(at: FieldLocation | undefined, cost?: number): GraphQLError {
  const path = at?.path.join('.') ?? '';
  const found = cost === undefined ? `more than ${GRAPH_LIMITS.cost}` : String(cost);
  const message = `the request costs ${found}, at most ${GRAPH_LIMITS.cost} is allowed; the costliest path is ${path}`;
  return graphError('graphql.too_costly', message, at, { cost: cost ?? null, costliest_path: path });
}
