import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import { setHeaders } from '../http/headers.js';
import { invalid, quote, toCount } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

const LATEST = Number.MAX_SAFE_INTEGER;
/** Time that a request waits for a version that this process has not read yet. */
const READ_OWN_WRITE_MS = 1_000;
const AS_OF_MS = 250;

/** Headers of every read that describe the state it shows, names and values in turns. */
export function freshnessOf({ replica, follower }: LiveDataset): string[] {
  const { pin, visible } = replica;
  const headers = [
    'slipway-version',
    String(visible),
    'slipway-as-of',
    pin?.asOf ?? replica.newestAt,
    'slipway-lag-ms',
    String(Math.ceil(follower.lagMs())),
  ];
  if (pin !== undefined) headers.push('slipway-pinned', String(pin.version));
  return headers;
}

export function setFreshness(ctx: Pick<ReferenceContext, 'set'>, dataset: LiveDataset): void {
  setHeaders(ctx, freshnessOf(dataset));
}

const MIN_VERSION = 'slipway-min-version';

export const minVersionOf = ({ headers }: Pick<ReferenceContext, 'headers'>): string | undefined =>
  headers[MIN_VERSION]?.toString();

/** `slipway-min-version: 903` waits for a state that holds the caller's own write. @throws replica.behind */
export async function awaitMinVersion(ctx: ReferenceContext, dataset: LiveDataset): Promise<void> {
  const header = minVersionOf(ctx);
  if (header !== undefined) await awaitAtLeast(header, dataset);
}

/**
 * The same for a request that reads several datasets, which have independent versions. A number alone belongs to the
 * one dataset of the top-level fields; `positions=903,skills=12` names each.
 * @throws parameter.invalid, version.unknown, replica.behind
 */
export async function awaitMinVersions(
  header: string,
  { first, known }: { first: readonly LiveDataset[]; known: readonly LiveDataset[] },
): Promise<void> {
  const pairs = header.split(',').map((part) => part.split('='));
  if (pairs.every((pair) => pair.length === 1)) {
    if (first.length > 1) {
      throw invalid(
        MIN_VERSION,
        `${quote(header)} is ambiguous here: send ${first.map(({ name }) => `${name}=903`).join()}`,
      );
    }
    for (const dataset of first) await awaitAtLeast(header, dataset);
    return;
  }
  await Promise.all(
    pairs.map(async ([name = '', version = '']) => {
      const dataset = known.find((each) => each.name === name.trim());
      if (dataset === undefined) {
        throw invalid(
          MIN_VERSION,
          `names ${quote(name.trim())}, which is no dataset that you may read: GET /v2/datasets lists those`,
        );
      }
      await awaitAtLeast(version, dataset);
    }),
  );
}

/** @throws parameter.invalid, version.unknown, replica.behind */
async function awaitAtLeast(version: string, dataset: LiveDataset): Promise<void> {
  const wanted = toCount(MIN_VERSION, version.trim(), { from: 0, to: LATEST });
  if (!(await dataset.follower.waitFor(wanted, READ_OWN_WRITE_MS))) await requireReached(dataset, wanted);
}

/**
 * The dataset version that a read shows.
 * @throws parameter.invalid, version.unknown, version.not_retained, replica.behind
 */
export async function versionAsked(
  dataset: LiveDataset,
  asOf: string | undefined,
  parameter = 'as_of',
): Promise<number> {
  const { replica } = dataset;
  if (asOf === undefined) return replica.visible;
  const wanted = toCount(parameter, asOf, { from: 1, to: LATEST });
  await awaitVersion(dataset, wanted);
  if (wanted < replica.keptFrom) {
    throw new SlipwayError(
      'version.not_retained',
      `version ${wanted} is not kept any more: ask for ${replica.keptFrom} or later`,
    );
  }
  return wanted;
}

/** Another process may be a moment ahead. @throws version.unknown, replica.behind */
export async function awaitVersion(dataset: LiveDataset, wanted: number): Promise<void> {
  if (wanted > dataset.replica.position && !(await dataset.follower.waitFor(wanted, AS_OF_MS))) {
    await requireReached(dataset, wanted);
  }
}

/** Reads the log to its end: only then is it known that no process has written the version. */
async function requireReached({ name, replica, follower }: LiveDataset, wanted: number): Promise<void> {
  const read = follower.catchUp().then(
    () => true,
    () => false,
  );
  const isCurrent = await Promise.race([read, sleep(AS_OF_MS, false)]);
  if (replica.position >= wanted) return;
  if (isCurrent) {
    throw new SlipwayError(
      'version.unknown',
      `${name} has no version ${wanted}: ask for ${replica.newest} or earlier, such as slipway-version of a response`,
    );
  }
  throw new SlipwayError(
    'replica.behind',
    `${name} is at version ${replica.newest} here and has not reached ${wanted}: try again after Retry-After`,
  );
}

const CACHING = {
  row: 'private, max-age=0, must-revalidate',
  lookup: 'private, max-age=5, stale-while-revalidate=30',
} as const;
const VARY = 'origin, authorization, x-api-key, accept, accept-encoding';
export const ROW_CACHING: readonly string[] = ['Cache-Control', CACHING.row, 'Vary', VARY];
export const LOOKUP_CACHING: readonly string[] = ['Cache-Control', CACHING.lookup, 'Vary', VARY];

/** Sets the caching headers of a read. */
export const cacheAs =
  (kind: keyof typeof CACHING): ReferenceStep =>
  async (ctx, next) => {
    ctx.set('Cache-Control', CACHING[kind]);
    ctx.set('Vary', VARY);
    await next();
  };
