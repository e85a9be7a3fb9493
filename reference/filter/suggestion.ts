import { closestMatch } from 'leven';

/** Longer than any path worth suggesting. */
const LONGEST = 100;

/** What somebody probably meant: the known word at the least edit distance, if that is near. */
export function suggest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const words = new Map([...known].map((word) => [word.toLowerCase(), word]));
  const maxDistance = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  const match = closestMatch(written.toLowerCase(), [...words.keys()], { maxDistance });
  return match === undefined ? undefined : words.get(match);
}
