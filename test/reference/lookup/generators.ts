import fc from 'fast-check';
import type { WorldRow } from './world.js';
import { worldOf } from './world.js';

/** Words of few letters, so that they meet: equal, begun, mistyped, joined. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'n'), minLength: 1, maxLength: 8 }),
  fc.constantFrom('san', 'santa', 'new', 'york', 'newyork', 'spring', 'springfield', 'São', 'Øland', "o'neill"),
);
const text = fc.array(word, { minLength: 0, maxLength: 3 }).map((words) => words.join(' '));
export const row = fc.record(
  {
    name: text,
    other: text,
    country: text,
    code: fc.oneof(text, fc.array(text, { maxLength: 2 })),
    weight: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: ['name'] },
);
export const world = fc.array(row, { maxLength: 30 }).map(worldOf);

/** Something like what is written in a row, with a slip of the finger. */
const slip = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('keep', 'drop', 'change', 'cross', 'blank', 'joined', 'cut'),
});
function damage(name: string, { at, kind }: { at: number; kind: string }): string {
  const place = name.length === 0 ? 0 : at % name.length;
  const [before, letter, after] = [name.slice(0, place), name.charAt(place), name.slice(place + 1)];
  if (kind === 'drop') return before + after;
  if (kind === 'change') return `${before}b${after}`;
  if (kind === 'cross') return before + after.charAt(0) + letter + after.slice(1);
  if (kind === 'blank') return `${before} ${letter}${after}`;
  if (kind === 'joined') return name.replace(' ', '');
  return kind === 'cut' ? before : name;
}

export function queryIn(rows: Map<number, WorldRow>): fc.Arbitrary<string> {
  const names = [...rows.values()].flatMap((each) => [each.name, `${each.name} ${each.country ?? ''}`]);
  const written = names.length === 0 ? text : fc.constantFrom(...names);
  const slipped = fc.tuple(written, slip, slip).map(([name, one, other]) => damage(damage(name, one), other));
  // Words that stand twice, or again with their first letters alone.
  const again = fc.tuple(slipped, fc.integer({ min: 1, max: 9 })).map(([query, length]) => {
    const words = query.split(' ');
    return [...words, ...words.map((each) => each.slice(0, length))].join(' ');
  });
  return fc.oneof({ weight: 3, arbitrary: slipped }, again, text);
}
