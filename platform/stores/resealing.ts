import type { SecretBox } from './secrets.js';

/** A pass over sealed texts that brings them into the present form under the present key. */
export interface Resealing {
  /** @returns the new text; one that does not open stays as it is */
  reseal: (sealed: string, place: string) => string;
  /** Seals a text that an earlier version stored in plain form. */
  seal: (plain: string, place: string) => string;
  counts: ResealCounts;
}

export interface ResealCounts {
  resealed: number;
  /** Texts that were sealed as they are today. */
  current: number;
  /** Texts that do not open: where they are, and why. */
  failures: { place: string; message: string }[];
}

export function createResealing(box: Pick<SecretBox, 'seal' | 'open' | 'isCurrent'>): Resealing {
  const counts: ResealCounts = { resealed: 0, current: 0, failures: [] };

  function seal(plain: string, place: string): string {
    counts.resealed += 1;
    return box.seal(plain, place);
  }

  return {
    counts,
    seal,
    reseal(sealed, place) {
      try {
        // Opened also when it looks current: a text that was changed is found before it is needed.
        const plain = box.open(sealed, place);
        if (!box.isCurrent(sealed)) return seal(plain, place);
        counts.current += 1;
      } catch (err) {
        counts.failures.push({ place, message: err instanceof Error ? err.message : String(err) });
      }
      return sealed;
    },
  };
}
