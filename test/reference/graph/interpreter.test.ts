import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { createSmallGraph, type Given, SPECS } from './small-graph.js';

type Row = Record<string, unknown>;
const idOf = (value: unknown): bigint | undefined =>
  value === undefined ? undefined : BigInt((value as { id: string }).id);

/** A selection as text, and what it gives of a row by plain lookups. */
interface Selection {
  text: string;
  of: (id: bigint, row: Row) => Row;
}

function createSelections(seed: number, given: Given) {
  const { below, pick } = createDraw(seed);
  const merge = (parts: Selection[]): Selection => ({
    text: `{ id ${parts.map(({ text }) => text).join(' ')} }`,
    of: (id, row) => Object.assign({ id: String(id) }, ...parts.map((part) => part.of(id, row))) as Row,
  });
  const placeOf = (id: bigint | undefined, inner: Selection): Row | null => {
    const row = id === undefined ? undefined : given.places.get(id);
    return row === undefined || id === undefined ? null : inner.of(id, row);
  };
  let alias = 0;
  const named = (field: string, inner: Selection, of: (key: string, id: bigint, row: Row) => Row): Selection => {
    alias += 1;
    const key = `a${alias}`;
    return { text: `${key}: ${field} ${inner.text}`, of: (id, row) => of(key, id, row) };
  };
  const value = (name: string, missing: unknown = null, show = (held: unknown) => held): Selection => ({
    text: name,
    of: (_, row) => ({ [name]: row[name] === undefined ? missing : show(row[name]) }),
  });
  const places = (depth: number): Selection => {
    const parts = [value('name'), value('kind', null, (held) => String(held).replace(' ', '_'))].filter(
      () => below(2) === 0,
    );
    if (depth > 0 && below(2) === 0) {
      const inner = places(depth - 1);
      parts.push(named('parent', inner, (key, _, row) => ({ [key]: placeOf(idOf(row.parent), inner) })));
    }
    if (depth > 0 && below(3) === 0) {
      const inner = people(depth - 1);
      const first = 1 + below(3);
      const text = { text: `{ total_count nodes ${inner.text} }`, of: inner.of };
      parts.push(
        named(`people(first: ${first})`, text, (key, id) => {
          const found = [...given.people]
            .filter(([, row]) => idOf(row.home) === id)
            .sort(([one], [other]) => (one < other ? -1 : 1));
          return {
            [key]: {
              total_count: found.length,
              nodes: found.slice(0, first).map(([each, row]) => inner.of(each, row)),
            },
          };
        }),
      );
    }
    return merge(parts);
  };
  const people = (depth: number): Selection => {
    const parts = [value('name'), value('age'), value('rate'), value('tags', [])].filter(() => below(2) === 0);
    if (depth > 0) {
      const inner = places(depth - 1);
      const kind = pick(['home', 'visited', 'work'] as const);
      if (kind === 'home')
        parts.push(named('home', inner, (key, _, row) => ({ [key]: placeOf(idOf(row.home), inner) })));
      if (kind === 'visited') {
        const list = (row: Row) => ((row.visited ?? []) as { id: string }[]).map((each) => placeOf(idOf(each), inner));
        parts.push(named('visited', inner, (key, _, row) => ({ [key]: list(row) })));
      }
      if (kind === 'work') {
        const text = { text: `{ open place ${inner.text} }`, of: inner.of };
        const work = (held: Row | undefined) =>
          held && { open: held.open ?? null, place: placeOf(idOf(held.place), inner) };
        parts.push(named('work', text, (key, _, row) => ({ [key]: work(row.work as Row | undefined) ?? null })));
      }
    }
    return merge(parts);
  };
  return { places, people };
}

function randomRows(seed: number): Given {
  const { below, pick } = createDraw(seed);
  const maybe = <T>(value: T): T | undefined => (below(3) === 0 ? undefined : value);
  const place = () => ({ id: String(1 + below(9)) }); // places 7 to 9 are not there
  const clean = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
  return {
    places: new Map(
      Array.from({ length: 6 }, (_, at) => [
        BigInt(at + 1),
        clean({ name: `Place "${at}"`, parent: maybe(place()), kind: maybe(pick(['big city', 'town'])) }),
      ]),
    ),
    people: new Map(
      Array.from({ length: 20 }, (_, at) => [
        BigInt(at + 1),
        clean({
          ...{ name: maybe(`P\n${at}`), age: maybe(below(90)), rate: maybe(below(9) / 4), home: maybe(place()) },
          ...{
            visited: maybe(Array.from({ length: below(4) }, place)),
            tags: maybe(['é', '"']),
            work: maybe(clean({ place: maybe(place()), open: maybe(true) })),
          },
        }),
      ]),
    ),
  };
}

/** Rows as the parser of rows takes them: integers as bigint. */
const toStored = (row: Row): Row => ({ ...row, ...(typeof row.age === 'number' && { age: BigInt(row.age) }) });
const stored = ({ places, people }: Given): Given => ({
  places,
  people: new Map([...people].map(([id, row]) => [id, toStored(row)])),
});

test.each([1, 2, 3])(
  'random selections answer what plain lookups give, also when they are repeated: seed %i',
  async (seed) => {
    const given = randomRows(seed);
    const { ask } = await createSmallGraph(stored(given));
    const { people, places } = createSelections(seed, given);
    for (let round = 0; round < 25; round += 1) {
      const [person, place] = [people(3), places(2)];
      const query = `{ people(first: 30) { total_count nodes ${person.text} } places_by_ids(ids: [3, 8, 1, 3]) ${place.text} }`;
      const expected = {
        people: { total_count: 20, nodes: [...given.people].map(([id, row]) => person.of(id, row)) },
        places_by_ids: [3n, 8n, 1n, 3n].map((id) => {
          const row = given.places.get(id);
          return row === undefined ? null : place.of(id, row);
        }),
      };
      for (let time = 0; time < 3; time += 1)
        expect({ query, data: (await ask(query)).data }).toEqual({ query, data: expected });
    }
  },
);

test('cached texts follow every change of the rows that they show', async () => {
  const given = randomRows(9);
  const { ask, set } = await createSmallGraph(stored(given));
  const { below } = createDraw(9);
  const { people } = createSelections(9, given);
  const selections = Array.from({ length: 3 }, () => people(3));
  for (let round = 0; round < 15; round += 1) {
    const id = BigInt(1 + below(8));
    const places = given.places as Map<bigint, Row>;
    if (below(3) === 0 && places.has(id)) {
      places.delete(id);
      set('places', id);
    } else {
      places.set(id, { name: `Round ${round}` });
      set('places', id, places.get(id));
    }
    for (const selection of selections) {
      const { data } = await ask(`{ people(first: 30) { nodes ${selection.text} } }`);
      expect(data).toEqual({ people: { nodes: [...given.people].map(([each, row]) => selection.of(each, row)) } });
    }
  }
});

test.each([undefined, 'age desc', 'name'])('pages by cursors are the whole list once, in order %s', async (order) => {
  const given = randomRows(5);
  const { ask } = await createSmallGraph(stored(given));
  const query =
    'query ($after: String, $order: String, $first: Int) { people(first: $first, after: $after, order_by: $order) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }';
  interface Page {
    nodes: Row[];
    edges: { cursor: string; node: Row }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  }
  const read = async (first: number, after?: string) => (await ask(query, { first, after, order })).data.people as Page;
  const all = (await read(30)).nodes;
  for (const size of [1, 3, 7, 20]) {
    const walked: Row[] = [];
    for (let after: string | undefined; ;) {
      const { nodes, edges, pageInfo } = await read(size, after);
      walked.push(...nodes);
      expect(edges.map(({ node }) => node)).toEqual(nodes);
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]?.cursor, edges.at(-1)?.cursor]);
      expect(pageInfo.hasPreviousPage).toBe(after !== undefined);
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(walked).toEqual(all);
  }
});

test('all datasets of a request are read at their own versions', async () => {
  const { ask } = await createSmallGraph(stored(randomRows(6)));
  const { data, versions } = await ask(
    '{ datasets { name version } people(first: 1) { dataset_version nodes { home { name } } } }',
  );
  expect(versions).toEqual({ people: 21, places: 7 });
  expect(data.datasets).toEqual([
    { name: 'places', version: '7' },
    { name: 'people', version: '21' },
  ]);
  expect(Object.keys(SPECS)).toEqual(['places', 'people']);
});
