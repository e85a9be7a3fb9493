import { setTimeout as sleep } from 'node:timers/promises';
import type { InstallationChecks } from '../../api/http/degradations.js';
import { EGRESS_REMEDY } from '../../platform/engines/egress-check.js';
import {
  type BackingService,
  BACKING_SERVICES,
  INSTALLATION_CHECKS,
  type Outage,
  SERVICE_REMEDIES,
} from '../../platform/kinds/outage.js';
import type { UnsafeSetting } from './production-profile.js';

/** One line of the report. A `note` is fine on a developer's machine, and refused in production. */
export interface Examined {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  /** The version of a service, or the fault. */
  found: string;
  /** The next step of an operator; absent when there is none to take. */
  remedy?: string;
}

export interface DoctorParts {
  isProduction: boolean;
  unsafe: readonly UnsafeSetting[];
  findOutages: () => Promise<Outage[]>;
  /** Reads the versions of services that answer. */
  versions: Partial<Record<BackingService, () => Promise<string>>>;
  checks: InstallationChecks;
  /** Finds the addresses that a container reaches and should not; it starts one. */
  findReachable: () => Promise<readonly string[]>;
  /** Bytes that are free in the state folder. */
  freeBytes: () => Promise<number>;
  limitMs?: number;
}

/** Below this, records of the gateway and layers of images soon have no room. */
const LEAST_FREE_GIB = 5;
const GIB = 2 ** 30;
const EGRESS = 'egress of containers';
/** A container is started, and its image may have to be pulled first. */
const EGRESS_LIMIT_MS = 60_000;

/** Examines an installation from the host of one of its processes: settings, services, checks, disk. */
export async function examine(parts: DoctorParts): Promise<Examined[]> {
  const outages = await parts.findOutages();
  const groups = await Promise.all([examineServices(parts, outages), examineChecks(parts)]);
  return [...examineSettings(parts), ...groups.flat(), await examineEgress(parts), await examineDisk(parts)];
}

function examineSettings({ unsafe, isProduction }: DoctorParts): Examined[] {
  const state = isProduction ? 'wrong' : 'note';
  if (unsafe.length === 0) return [{ name: 'settings', state: 'ok', found: 'safe for production' }];
  return unsafe.map(({ setting, problem, remedy }) => ({ name: setting, state, found: problem, remedy }));
}

async function examineServices({ versions, limitMs }: DoctorParts, outages: readonly Outage[]): Promise<Examined[]> {
  return Promise.all(
    BACKING_SERVICES.map(async (name): Promise<Examined> => {
      const outage = outages.find((each) => each.name === name);
      if (outage !== undefined) return { name, state: 'wrong', found: outage.reason, remedy: SERVICE_REMEDIES[name] };
      const version = await within(limitMs, versions[name] ?? (async () => undefined)).catch(() => undefined);
      return { name, state: 'ok', found: version ?? 'answers' };
    }),
  );
}

async function examineChecks({ checks, limitMs }: DoctorParts): Promise<Examined[]> {
  return Promise.all(
    // The doctor tries egress itself, instead of asking for the last finding of a worker.
    INSTALLATION_CHECKS.filter((name) => name !== EGRESS).map(async (name): Promise<Examined> => {
      try {
        const fault = await within(limitMs, checks[name]);
        if (fault === undefined) return { name, state: 'ok', found: 'as it should be' };
        return { name, state: 'wrong', found: fault.reason, remedy: fault.remedy };
      } catch {
        return notChecked(name);
      }
    }),
  );
}

const notChecked = (name: string): Examined => ({
  ...{ name, state: 'wrong', found: 'cannot be checked' },
  remedy: 'mend the service that is down, then run the same command again',
});

async function examineEgress({ findReachable }: DoctorParts): Promise<Examined> {
  const name = EGRESS;
  const reached = await within(EGRESS_LIMIT_MS, findReachable).catch(() => undefined);
  if (reached === undefined) return notChecked(name);
  if (reached.length === 0) return { name, state: 'ok', found: 'none to this host or to the metadata of a cloud' };
  return { name, state: 'wrong', found: `containers can reach ${reached.join(', ')}`, remedy: EGRESS_REMEDY };
}

async function examineDisk({ freeBytes }: DoctorParts): Promise<Examined> {
  const free = (await freeBytes()) / GIB;
  const found = `${free.toFixed(1)} GiB are free in the state folder`;
  if (free >= LEAST_FREE_GIB) return { name: 'disk', state: 'ok', found };
  return { name: 'disk', state: 'wrong', found, remedy: `free some space: ${LEAST_FREE_GIB} GiB is the least` };
}

/** @throws when there is no answer in time */
async function within<T>(limitMs = 5_000, ask: () => Promise<T>): Promise<T> {
  const answered = new AbortController();
  const silence = sleep(limitMs, undefined, { signal: answered.signal }).then(() => {
    throw new Error('no answer');
  });
  try {
    return await Promise.race([ask(), silence]);
  } finally {
    answered.abort();
    silence.catch(() => undefined);
  }
}
