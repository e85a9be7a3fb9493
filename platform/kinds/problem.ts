/** A position in a text: `offset` and `length` in UTF-16 units, `line` and `column` from 1. */
export interface Position {
  offset: number;
  length: number;
  line: number;
  column: number;
}

/** One entry of `errors` in a problem document of `/v2`: `pointer` for a place in the body, `position` for one in a parameter. */
export interface Problem {
  code: string;
  message: string;
  /** JSON pointer (RFC 6901) into the body. */
  pointer?: string;
  parameter?: string;
  position?: Position;
  /** Alternatives that are valid there. */
  expected?: readonly string[];
  /** The probable intention; a text to replace the one at `position`. */
  suggestion?: string;
}

/** The most that one answer lists. */
export const MOST_PROBLEMS = 100;

/** JSON pointer of a path from the root of the body. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
