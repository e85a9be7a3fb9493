const PLACES = 2 ** 16;
const MOST_MARKED = PLACES / 8;

/**
 * Tells texts that come again from those that come for the first time. One in eight of the first may be taken for the
 * other; after many of them all are forgotten.
 */
export function createComeAgain(): (text: string) => boolean {
  const marks = new Uint8Array(PLACES);
  let marked = 0;
  return (text) => {
    const at = placeOf(text);
    if (marks[at] === 1) return true;
    if (marked === MOST_MARKED) {
      marks.fill(0);
      marked = 0;
    }
    marks[at] = 1;
    marked += 1;
    return false;
  };
}

/** FNV-1a, both halves of it. */
function placeOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}
