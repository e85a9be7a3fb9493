/** The spool takes at most this part of what the disk has left, so that it never fills the disk for others. */
const DISK_SHARE = 0.8;
/** Bytes that may wait in memory for a slow disk. */
const PENDING_BYTES = 64 * 1024 * 1024;

/** The bytes that a spool holds and may hold. */
export interface SpoolRoom {
  used: number;
  limit: number;
}

/** The free blocks of a disk and their size in bytes, as `statfs` returns them. */
export interface FreeDisk {
  bavail: number;
  bsize: number;
}

/** @returns the bytes that a spool of this size may hold, by its configured limit and the free disk */
export const spoolLimit = (limitBytes: number, used: number, { bavail, bsize }: FreeDisk): number =>
  Math.min(limitBytes, DISK_SHARE * (bavail * bsize + used));

/** Whether a frame of this size can be taken while others wait for their write. */
export const hasRoom = ({ used, limit }: SpoolRoom, pendingBytes: number, bytes: number): boolean =>
  pendingBytes + bytes <= PENDING_BYTES && used + pendingBytes + bytes <= limit;
