/** A log without output. */
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
