import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type BackingService, BACKING_SERVICES, type Outage } from '../../platform/kinds/outage.js';

export type ServiceProbes = Readonly<Record<BackingService, () => Promise<unknown>>>;

interface Options {
  limitMs?: number;
  /** Answers are repeated for so long, so that many callers cause no more probes than one. */
  keepMs?: number;
  now?: () => number;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closes connections',
  ENOENT: 'has no socket',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be resolved',
};

/** Creates a function that probes every service at the same time and returns those that are down. */
export function createFindOutages(probes: ServiceProbes, options: Options = {}): () => Promise<Outage[]> {
  const { limitMs = 2_000, keepMs = 2_000, now = Date.now } = options;
  let known: { at: number; outages: Promise<Outage[]> } | undefined;
  const probeAll = async (): Promise<Outage[]> => {
    const found = await Promise.all(
      BACKING_SERVICES.map(async (name) => {
        const reason = await reasonOf(probes[name], limitMs);
        return reason === undefined ? [] : [{ name, reason }];
      }),
    );
    return found.flat();
  };
  return () => {
    if (known === undefined || now() - known.at >= keepMs) known = { at: now(), outages: probeAll() };
    return known.outages;
  };
}

/** @returns why a service is down; undefined when it answers */
async function reasonOf(probe: () => Promise<unknown>, limitMs: number): Promise<string | undefined> {
  const answered = new AbortController();
  const silence = sleep(limitMs, `does not answer within ${limitMs / 1_000} s`, { signal: answered.signal });
  const answer = probe().then(() => undefined, describe);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    answered.abort();
    silence.catch(() => undefined);
  }
}

/** Messages of errors hold addresses; their codes do not. */
function describe(err: unknown): string {
  for (let link = err; link instanceof Error; link = link.cause) {
    if (link instanceof SlipwayError && link.publicMessage !== undefined) return link.publicMessage;
    const reason = 'code' in link ? REASONS[String(link.code)] : undefined;
    if (reason !== undefined) return reason;
  }
  return 'does not answer';
}
