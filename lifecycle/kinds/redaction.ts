import { JSONPathError, jsonpath } from 'json-p3';

/** The text in place of a removed value. */
export const REDACTED = '[redacted]';

/** Bounds of what a deployment may ask for: a gateway does this work for each record. */
export const MOST_PATHS = 20;
export const MOST_SELECTORS = 100;
const LONGEST_PATH = 200;
/** Selectors that are tried for one body; the gateway does nothing else meanwhile. */
const MOST_STEPS = 2_000_000;
const DEEPEST = 200;

/** A selector as a name, a position, or `undefined` for each child. */
type Selector = string | number | undefined;

/** One segment of a path. `next` is the number of the one after it; -1: the path ends here. */
interface Segment {
  isDescendant: boolean;
  selectors: readonly Selector[];
  next: number;
}

/** Removes values from JSON. */
export interface Redaction {
  /**
   * Returns the JSON with each selected value replaced; undefined when the bytes are no JSON, or examining them would take too
   * long: such a body must not be recorded. Numbers beyond 2^53 lose digits.
   */
  apply(bytes: Buffer): string | undefined;
}

/** Says what is wrong with a path; undefined when nothing is. Filters and slices are refused: their cost has no bound. */
export function redactionProblem(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return `is longer than ${LONGEST_PATH} characters`;
  try {
    const { segments } = jsonpath.compile(path);
    if (segments.length === 0) return 'selects the whole body: switch "feedback" off instead';
    const isSimple = segments.every((segment) => segment.selectors.every(isSupported));
    return isSimple ? undefined : 'has a filter or a slice: use names, positions, [*] and ..';
  } catch (err) {
    if (err instanceof JSONPathError) return `is no JSONPath: ${err.message}`;
    throw err;
  }
}

/** Counts the selectors of paths that have no problem. */
export const selectorsIn = (paths: readonly string[]): number =>
  paths.flatMap((path) => jsonpath.compile(path).segments.map((segment) => segment.selectors.length)).reduce(sum, 0);
const sum = (one: number, other: number): number => one + other;

const isSupported = (selector: jsonpath.JSONPathSelector): boolean =>
  [jsonpath.selectors.NameSelector, jsonpath.selectors.IndexSelector, jsonpath.selectors.WildcardSelector].some(
    (each) => selector instanceof each,
  );

/** Compiles paths without a problem. All of them are followed in one walk, so that the cost of a body does not multiply. */
export function createRedaction(paths: readonly string[]): Redaction {
  const segments: Segment[] = [];
  const starts = paths.map((path) => {
    const compiled = jsonpath.compile(path).segments;
    const start = segments.length;
    for (const [at, segment] of compiled.entries()) {
      const next = at + 1 < compiled.length ? start + at + 1 : -1;
      const selectors = segment.selectors.map(toSelector);
      segments.push({ isDescendant: segment.toString().startsWith('..'), selectors, next });
    }
    return start;
  });

  return {
    apply(bytes) {
      try {
        const root: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        new Walk(segments).redact(root, starts);
        return JSON.stringify(root);
      } catch (err) {
        // No UTF-8, no JSON, or nested deeper than the stack.
        if (err instanceof SyntaxError || err instanceof TypeError || err instanceof RangeError) return undefined;
        throw err;
      }
    },
  };
}

function toSelector(selector: jsonpath.JSONPathSelector): Selector {
  if (selector instanceof jsonpath.selectors.NameSelector) return selector.name;
  return selector instanceof jsonpath.selectors.IndexSelector ? selector.index : undefined;
}

interface Place {
  parent: Record<string | number, unknown> | unknown[];
  /** Numbers of the segments that the children may match. */
  states: readonly number[];
  depth: number;
}

/** One walk through one body. Plain loops, because a gateway does nothing else meanwhile. */
class Walk {
  readonly #segments: readonly Segment[];
  /** By segment, the last child that has it among its states. */
  readonly #noted: Uint32Array;
  #child = 0;
  #steps = 0;

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
    this.#noted = new Uint32Array(segments.length);
  }

  /** @throws RangeError when it takes too many steps, or goes too deep */
  redact(root: unknown, states: readonly number[]): void {
    const open: Place[] = [];
    if (isContainer(root)) open.push({ parent: root, states, depth: 0 });
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const { parent } = place;
      if (Array.isArray(parent)) {
        for (let at = 0; at < parent.length; at += 1) this.#visit(place, at, parent.length, open);
      } else {
        for (const key of Object.keys(parent)) this.#visit(place, key, 0, open);
      }
    }
  }

  #visit({ parent, states, depth }: Place, key: string | number, count: number, open: Place[]): void {
    const holder = parent as Record<string | number, unknown>; // a list is one by its positions
    const value = holder[key];
    const next: number[] | undefined = isContainer(value) ? [] : undefined;
    this.#child += 1;
    for (const state of states) {
      const segment = this.#segments[state];
      if (segment === undefined) continue;
      if (segment.isDescendant && next !== undefined) this.#note(next, state);
      if (!this.#selects(segment, key, count)) continue;
      if (segment.next < 0) {
        holder[key] = REDACTED;
        return;
      }
      if (next !== undefined) this.#note(next, segment.next);
    }
    if (!isContainer(value) || next === undefined || next.length === 0) return;
    if (depth >= DEEPEST) throw new RangeError('the body is nested too deep');
    open.push({ parent: value, states: next, depth: depth + 1 });
  }

  /** Adds a state once. */
  #note(next: number[], state: number): void {
    if (this.#noted[state] === this.#child) return;
    this.#noted[state] = this.#child;
    next.push(state);
  }

  #selects({ selectors }: Segment, key: string | number, count: number): boolean {
    for (const selector of selectors) {
      this.#steps += 1;
      if (this.#steps > MOST_STEPS) throw new RangeError('the body has too many values');
      if (selector === undefined || selector === key) return true;
      if (typeof selector === 'number' && selector < 0 && typeof key === 'number' && key === count + selector)
        return true;
    }
    return false;
  }
}

const isContainer = (value: unknown): value is Place['parent'] => typeof value === 'object' && value !== null;
