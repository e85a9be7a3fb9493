/** A log that nobody reads. */
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
