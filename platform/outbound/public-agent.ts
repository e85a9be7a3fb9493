import { Agent, buildConnector } from 'undici';
import { createJudgedLookup, type JudgedLookupOptions } from './judged-lookup.js';

export interface PublicAgentOptions extends JudgedLookupOptions {
  connectTimeoutMs?: number;
}

/**
 * Connections to allowed addresses only. Each one resolves the name again, checks every address and goes to one of those
 * that were judged, so a name that changes its address in between leads nowhere else. No proxy is used, whatever the
 * environment says, and no redirect is followed.
 * Connecting fails with url.not_allowed, before a byte is sent.
 */
export function createPublicAgent({ connectTimeoutMs = 5_000, ...options }: PublicAgentOptions) {
  const { lookup, refusedHost } = createJudgedLookup(options);
  const connector = buildConnector({ timeout: connectTimeoutMs, lookup });
  return new Agent({
    connect: (target, callback) => {
      const err = refusedHost(target.hostname);
      if (err !== undefined) return callback(err, null);
      connector(target, callback);
    },
  });
}
