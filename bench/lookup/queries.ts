import { splitWords } from '../../reference/lookup/normalization.js';
import { damaged } from './damage.js';
import type { Place } from '../../examples/reference-data/places.js';
import { createRandom } from '../../examples/reference-data/random.js';

export interface QueryClass {
  name: string;
  queries: string[];
}

/** Adversarial queries; reported separately. */
export const HOSTILE: QueryClass = {
  name: 'hostile',
  queries: [
    'a b c d e f g h i j',
    's s s s s s s s s s',
    'san '.repeat(50),
    'saintpetersburg '.repeat(12),
    'santa maria del la de los san saint new north',
    'sanatmaria delal losan santia newnorth sain',
    'sanpedrosanpedro lasanjuan delarosa santamariadelmar',
    'a'.repeat(200),
    'ab'.repeat(100),
    '\ufdfa'.repeat(200),
    'zzzz zzzz zzzz zzzz zzzz',
    'united states of america the republic islands',
  ],
};

/** One of each class in turn, as if many people typed at once. */
export function mixed(classes: readonly QueryClass[], perClass: number): QueryClass {
  const turns = Array.from({ length: perClass }, (_, at) =>
    classes.map(({ queries }) => queries[at % queries.length] ?? ''),
  );
  return { name: 'all of these in turn', queries: turns.flat() };
}

/** Generates queries of users who search for one of these places, in classes of different cost; deterministic. */
export function queryClasses(rows: readonly Place[], count: number, seed = 7): QueryClass[] {
  const random = createRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = () => rows[below(rows.length)] ?? { name: '', countryName: '' };
  const name = () => pick().name;
  const begun = (text: string, fewest: number, most: number) => text.slice(0, fewest + below(most - fewest + 1));
  const made = (make: () => string) => Array.from({ length: count }, make);
  // prettier-ignore
  return [
    { name: 'one letter',          queries: [...'abcdefghijklmnopqrstuvwxyz0123456789'] },
    { name: 'prefix, 2-3 letters', queries: made(() => begun(name(), 2, 3)) },
    { name: 'prefix, 4-8 letters', queries: made(() => begun(name(), 4, 8)) },
    { name: 'whole name',          queries: made(name) },
    { name: 'words turned round',  queries: made(() => splitWords(name()).reverse().join(' ')) },
    { name: 'two places',          queries: made(() => `${name()} ${begun(pick().name, 1, 3)}`) },
    { name: 'name and country',    queries: made(() => `${name()} ${begun(pick().countryName, 1, 5)}`) },
    { name: 'typo, 4-8 letters',   queries: made(() => damaged(begun(name(), 4, 8), random)) },
    { name: 'typo, whole name',    queries: made(() => damaged(name(), random)) },
    { name: 'in no name',          queries: made(() => `${damaged(name(), random)}qx${begun(name(), 1, 4)}`) },
  ];
}
