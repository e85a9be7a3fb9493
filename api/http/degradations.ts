import { setTimeout as sleep } from 'node:timers/promises';
import { type Degradation, INSTALLATION_CHECKS, type InstallationCheck } from '../../platform/kinds/outage.js';

/** Returns what is wrong and its remedy; undefined when all is well. Fails when it cannot know. */
export type Check = () => Promise<Omit<Degradation, 'name'> | undefined>;
export type InstallationChecks = Readonly<Record<InstallationCheck, Check>>;

interface Options {
  limitMs?: number;
  /** Answers are repeated for so long: what is checked changes with a deployment, not with a request. */
  keepMs?: number;
  now?: () => number;
}

/**
 * Creates a function that runs every check at the same time and returns those that failed. A check that cannot know says
 * nothing: the service that it asks is down, which is an outage.
 */
export function createFindDegradations(
  checks: InstallationChecks,
  { limitMs = 2_000, keepMs = 10_000, now = Date.now }: Options = {},
): () => Promise<Degradation[]> {
  let known: { at: number; found: Promise<Degradation[]> } | undefined;
  const checkAll = async (): Promise<Degradation[]> => {
    const found = await Promise.all(
      INSTALLATION_CHECKS.map(async (name) => {
        const failed = await within(limitMs, checks[name]);
        return failed === undefined ? [] : [{ name, ...failed }];
      }),
    );
    return found.flat();
  };
  return () => {
    if (known === undefined || now() - known.at >= keepMs) known = { at: now(), found: checkAll() };
    return known.found;
  };
}

async function within(limitMs: number, check: Check): ReturnType<Check> {
  const answered = new AbortController();
  const silence = sleep(limitMs, undefined, { signal: answered.signal }).catch(() => undefined);
  try {
    return await Promise.race([check().catch(() => undefined), silence]);
  } finally {
    answered.abort();
  }
}
