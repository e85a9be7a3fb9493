import type { ResealCounts } from '../../platform/stores/resealing.js';
import type { RekeyResult } from './rekey.js';

export interface RekeyFacts {
  /** Whether SLIPWAY_OLD_SECRET_KEYS is set. */
  hasOldKeys: boolean;
  /** Whether payloads in Temporal are encrypted. */
  encryptsPayloads: boolean;
}

/** Returns the lines that an operator reads after a rekey. */
export function toRekeyReport({ connections, subscriptions, triggered }: RekeyResult, facts: RekeyFacts): string[] {
  const failures = [...connections.failures, ...subscriptions.failures];
  return [
    countsLine('secrets of connections', connections),
    countsLine('headers and keys of subscriptions', subscriptions),
    ...failures.map(({ place, message }) => `not sealed again: ${place}: ${message}`),
    ...(failures.length > 0
      ? [
          'Keep SLIPWAY_OLD_SECRET_KEYS. Add the key that is missing, or write the secret again; then run this command again.',
        ]
      : nextSteps(triggered, facts)),
  ];
}

const countsLine = (what: string, { resealed, current, failures }: ResealCounts): string =>
  `${what}: ${resealed} sealed again, ${current} already up to date, ${failures.length} failed`;

function nextSteps(triggered: readonly string[], { hasOldKeys, encryptsPayloads }: RekeyFacts): string[] {
  if (!hasOldKeys) return ['Every stored secret is sealed with SLIPWAY_SECRET_KEY.'];
  return [
    'No stored secret needs an earlier key. SLIPWAY_OLD_SECRET_KEYS may be dropped when',
    '  - every API and worker was restarted with the present SLIPWAY_SECRET_KEY, and this command ran once more after that',
    ...(triggered.length > 0
      ? [`  - senders to these pipelines use the secret of "slipway pipeline webhook": ${triggered.join(', ')}`]
      : []),
    ...(encryptsPayloads
      ? [
          "  - Temporal has removed the runs that began before: longer than the namespace's retention ago, none still open",
        ]
      : []),
  ];
}
