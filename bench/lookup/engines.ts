import FlexSearch from 'flexsearch';
import MiniSearch from 'minisearch';
import { createLookupIndex, lookupIndexFromBytes } from '../../reference/lookup/lookup-index.js';
import { splitWords } from '../../reference/lookup/normalization.js';
import type { Place } from '../../examples/reference-data/places.js';
import { PLACE_FIELDS, sourceOf } from './place-source.js';

/** A search engine with the places in it. */
export interface Engine {
  /** The rows to show for what was typed so far. */
  topTen: (query: string) => number[];
  /** Every row that is found by a word that begins with the text, as far as the engine can say. */
  allBeginning: (prefix: string) => Set<number>;
  /** Figures that only this engine has: bytes, seconds. */
  figures: Record<string, number>;
}
type EngineName = 'slipway' | 'minisearch' | 'flexsearch';

export const ENGINES: Record<EngineName, (rows: readonly Place[]) => Engine> = {
  slipway(rows) {
    const options = { fields: PLACE_FIELDS, source: sourceOf(rows) };
    const built = timed(() => createLookupIndex({ ...options, rows: rows.keys() }));
    const written = timed(() => Buffer.concat([...built.value.encode()]));
    const loaded = timed(() => lookupIndexFromBytes(written.value, options));
    const index = loaded.value;
    return {
      topTen: (query) => index.query(query).hits.map(({ row }) => row),
      // Refuses every row, and so is asked about every row that matches.
      allBeginning(prefix) {
        const asked = new Set<number>();
        index.query(prefix, { accept: (row) => asked.add(row) && false });
        return asked;
      },
      figures: {
        buildSeconds: built.seconds,
        encodeSeconds: written.seconds,
        fromBytesSeconds: loaded.seconds,
        snapshotBytesPerRow: written.value.length / rows.length,
        indexBytesPerRow: index.bytes / rows.length,
      },
    };
  },

  minisearch(rows) {
    const index = new MiniSearch<{ id: number; name: string; alias: string }>({
      fields: ['name', 'alias'],
      processTerm: (term) => term,
      searchOptions: { prefix: true, combineWith: 'AND', boost: { name: 4 } },
    });
    const built = timed(() => {
      for (const [id, place] of rows.entries()) index.add({ id, name: normal(place.name), alias: aliasOf(place) });
    });
    const search = (query: string, fuzzy: number | boolean) =>
      index.search(normal(query), { fuzzy }).map(({ id }) => id as number);
    return {
      topTen: (query) => search(query, 0.2).slice(0, 10),
      allBeginning: (prefix) => new Set(search(prefix, false)),
      figures: { buildSeconds: built.seconds },
    };
  },

  flexsearch(rows) {
    const index = new FlexSearch.Index({ tokenize: 'forward', encode: (text: string) => text.split(' ') });
    const built = timed(() => {
      for (const [id, place] of rows.entries()) index.add(id, `${normal(place.name)} ${aliasOf(place)}`);
    });
    const search = (query: string, limit: number) => index.search(normal(query), { limit }) as number[];
    return {
      topTen: (query) => search(query, 10),
      allBeginning: (prefix) => new Set(search(prefix, rows.length)),
      figures: { buildSeconds: built.seconds },
    };
  },
};

/** As every peer gets texts: what is compared is the index and not the folding of letters. */
export function normal(text: string): string {
  return splitWords(text).join(' ');
}

export function aliasOf({ countryName, adminCode }: Place): string {
  return normal(`${countryName} ${adminCode}`);
}

function timed<T>(make: () => T): { value: T; seconds: number } {
  const start = performance.now();
  const value = make();
  return { value, seconds: (performance.now() - start) / 1_000 };
}
