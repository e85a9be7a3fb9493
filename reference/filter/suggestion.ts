import { closestMatch } from 'leven';

/** Longest text that gets a suggestion; every path is shorter. */
const LONGEST = 100;

/** Suggests the known name at the least edit distance, if that is near. */
export function suggest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const words = new Map([...known].map((word) => [word.toLowerCase(), word]));
  const maxDistance = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  const match = closestMatch(written.toLowerCase(), [...words.keys()], { maxDistance });
  return match === undefined ? undefined : words.get(match);
}
