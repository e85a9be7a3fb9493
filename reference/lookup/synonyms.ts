import { MOST_WORDS, queryWords } from './query-words.js';

/** Words or phrases of one meaning; with `means`, typing one of `words` finds those too, and not the other way round. */
export interface SynonymSet {
  words: readonly string[];
  means?: readonly string[] | undefined;
}

export const SYNONYM_LIMITS = { sets: 500, phrases: 20, characters: 100, words: 5 } as const;

/** Returns the queries that mean the same as the typed words, these first. */
export type Synonyms = (words: readonly string[]) => readonly (readonly string[])[];

/** Most queries for one text, so that a lookup with synonyms stays as fast as so many without. */
const MOST_QUERIES = 8;

interface Rule {
  from: readonly string[];
  to: readonly (readonly string[])[];
}

/** Compiles synonyms; they are applied to the typed words alone, so no row is indexed again when they change. */
export function createSynonyms(sets: readonly SynonymSet[]): Synonyms {
  const rules = new Map<string, Rule[]>();
  for (const { words, means } of sets) {
    const phrases = words.map(queryWords);
    for (const from of phrases) {
      const to = means?.map(queryWords) ?? phrases.filter((other) => other !== from);
      const first = from[0] ?? '';
      rules.set(first, [...(rules.get(first) ?? []), { from, to }]);
    }
  }
  return (typed) => {
    const queries = [{ words: typed, next: 0 }];
    // Grows while it is read: queries with fewer replaced words come first, and no replacement is replaced again.
    for (const { words, next } of queries) {
      for (let at = next; at < words.length; at += 1) {
        for (const { from, to } of rules.get(words[at] ?? '') ?? []) {
          if (!from.every((word, index) => words[at + index] === word)) continue;
          for (const other of to.slice(0, MOST_QUERIES - queries.length)) {
            const replaced = [...words.slice(0, at), ...other, ...words.slice(at + from.length)];
            queries.push({ words: replaced.slice(0, MOST_WORDS), next: at + other.length });
          }
        }
      }
    }
    return queries.map(({ words }) => words);
  };
}
