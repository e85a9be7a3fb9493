const SLOTS = 2 ** 16;
const MOST_MARKED = SLOTS / 8;

/**
 * Distinguishes repeated texts from new ones by one hashed mark each, as the doorkeeper of TinyLFU does. Up to one in
 * eight new texts is taken for a repeated one; the marks are cleared when that many are set.
 */
export function createDoorkeeper(): (text: string) => boolean {
  const marks = new Uint8Array(SLOTS);
  let marked = 0;
  return (text) => {
    const at = slotOf(text);
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

/** FNV-1a, with both halves folded. */
function slotOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}
