/** The longest filter, every character of it percent-encoded, and the rest of a request's head; in bytes. */
export const LONGEST_HEAD = 96 * 1_024;

/**
 * Options of a `node:http` server. Connections are kept for longer than the 60 s that proxies use to keep them, so that they do
 * not close under a request; and it spares clients their opening again: of connections that wait, Node.js takes one in
 * each turn of its event loop, so after a burst a new one waits for as many turns as there are.
 */
export const HEAD_LIMITS = { maxHeaderSize: LONGEST_HEAD, keepAliveTimeout: 65_000, headersTimeout: 70_000 } as const;
