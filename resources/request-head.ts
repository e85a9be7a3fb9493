/** The longest filter, every character of it percent-encoded, and what else stands in front of a body; in bytes. */
export const LONGEST_HEAD = 96 * 1_024;
