import fc from 'fast-check';
import { filterCase } from '../../reference/filter/cases.js';
import type { TestReference } from './test-reference.js';

// prettier-ignore
const PIECES = ['', ' ', '(', ')', ',', ';', '==', '!=', '=in=', '=like=', '=null=', '=between=', '<', '>=', '=', '!', '~', '"', "'", '\\', '*', '?', 'and', 'or', 'not', 'not(', 'true', 'null', 'id', 'title', 'skills', 'skills.id', 'customer', 'customer.id', 'staffing_status', 'Open', "'On Hold'", '9223372036854775807', '9223372036854775808', '-1', '1e3', '0', '2026-02-30', '$where', '__proto__', 'constructor', '\u0000', '\ud800', '😀', '\n', '%', '&', '+', '#'];

interface Edit {
  at: number;
  drop: number;
  put: string;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(4),
  put: fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 })),
});
const changed = (text: string, edits: readonly Edit[]): string =>
  edits.reduce((now, { at, drop, put }) => {
    const start = Math.floor(at * now.length);
    return now.slice(0, start) + put + now.slice(start + drop);
  }, text);

/** Good filters, filters that were good once, and no filters at all. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: filterCase.map(({ text }) => text) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(filterCase, fc.array(edit, { minLength: 1, maxLength: 4 }))
      .map(([{ text }, edits]) => changed(text, edits)),
  },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);

export interface Fuzzed {
  found: number;
  refused: number;
}

/**
 * Sends random filters to the search of positions and to the graph. Each is answered by both, or refused by both with
 * the same problems, every one of them inside the text; the canonical form of what was understood means the same.
 * @throws Error with the first filter for which that does not hold
 */
export async function fuzzFilters(
  api: TestReference,
  { count, seed }: { count: number; seed: number },
): Promise<Fuzzed> {
  const result: Fuzzed = { found: 0, refused: 0 };
  for (let done = 0; done < count; done += BLOCK) {
    const texts = fc.sample(anyText, { numRuns: Math.min(BLOCK, count - done), seed: seed + done });
    for (let first = 0; first < texts.length; first += AT_ONCE) {
      const outcomes = await Promise.all(texts.slice(first, first + AT_ONCE).map((text) => fuzzOne(api, text)));
      for (const outcome of outcomes) result[outcome] += 1;
    }
  }
  return result;
}

const BLOCK = 1_000;
const AT_ONCE = 8;
const GRAPH = 'query ($f: String) { positions(filter: $f, first: 5) { total_count nodes { id } } }';

async function fuzzOne(api: TestReference, given: string): Promise<keyof Fuzzed> {
  // Half of a pair of surrogates cannot be sent as UTF-8.
  const text = Buffer.from(given).toString();
  const fail = (why: string, reply: { text: string }) => {
    throw new Error(`${why}: ${JSON.stringify(text)}: ${reply.text.slice(0, 500)}`);
  };
  const search = (q: string) => api.call('GET', `/v2/positions/search?q=${encodeURIComponent(q)}&page_size=5`);
  const headers = { accept: 'application/graphql-response+json' };
  const [rest, graph] = await Promise.all([
    search(text),
    api.call('POST', '/v2/graphql', { body: { query: GRAPH, variables: { f: text } }, headers }),
  ]);
  if (rest.status !== graph.status) fail(`REST says ${rest.status}, the graph ${graph.status}`, graph);
  if (rest.status === 400) {
    if (rest.body.code !== 'filter.invalid' || !(rest.body.errors.length > 0)) fail('no reason', rest);
    for (const { position } of rest.body.errors) {
      if (!(position.offset >= 0 && position.offset + position.length <= text.length)) fail('outside the text', rest);
    }
    const expected = rest.body.errors.map((problem: object) => ({ ...problem, parameter: 'filter' }));
    const [error] = graph.body.errors;
    if (JSON.stringify(error.extensions.errors) !== JSON.stringify(expected))
      fail('other problems in the graph', graph);
    return 'refused';
  }
  if (rest.status !== 200) fail(`status ${rest.status}`, rest);
  const ids = ({ body }: typeof rest) => body.items.map(({ id }: { id: string }) => id).join();
  const shown = graph.body.data.positions;
  if (shown.total_count !== rest.body.total_size) fail('other rows in the graph', graph);
  if (shown.nodes.map(({ id }: { id: string }) => id).join() !== ids(rest)) fail('other rows in the graph', graph);
  const again = await search(rest.body.filter);
  if (again.body?.filter !== rest.body.filter || ids(again) !== ids(rest)) fail('its canonical form differs', again);
  return 'found';
}
