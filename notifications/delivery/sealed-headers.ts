import { MASK } from '../../lifecycle/kinds/connection-secrets.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';
import { type Problem, toPointer } from '../../platform/kinds/problem.js';
import type { Resealing } from '../../platform/stores/resealing.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import type { SubscriptionSpec } from '../kinds/subscription.js';

type Headers = SubscriptionSpec['headers'];

/** The headers of a subscription. */
interface OwnedHeaders {
  id: string;
  headers: Headers;
}

/** No header value of a client has this character: a plain value that an earlier version stored is never taken for a sealed one. */
const SEALED = '§';

/** Seals the values that are not sealed yet: headers often hold a credential of the receiver. */
export const sealHeaders = ({ id, headers }: OwnedHeaders, box: Pick<SecretBox, 'seal'>): Headers =>
  mapValues(headers, (value, name) =>
    value.startsWith(SEALED) ? value : `${SEALED}${box.seal(value, secretPlaces.header(id, name))}`,
  );

/** Returns the headers of a subscription with the values to send. */
export type HeadersOf = (subscription: { id: string; spec: Pick<SubscriptionSpec, 'headers'> }) => Headers;

/** @returns the values to send */
export const openHeaders = ({ id, headers }: OwnedHeaders, box: Pick<SecretBox, 'open'>): Headers =>
  mapValues(headers, (value, name) =>
    value.startsWith(SEALED) ? box.open(value.slice(SEALED.length), secretPlaces.header(id, name)) : value,
  );

/** Returns stored headers with their values as they are sealed today. */
export const resealHeaders = ({ id, headers }: OwnedHeaders, { reseal, seal }: Resealing): Headers =>
  mapValues(headers, (value, name) => {
    const place = secretPlaces.header(id, name);
    return `${SEALED}${value.startsWith(SEALED) ? reseal(value.slice(SEALED.length), place) : seal(value, place)}`;
  });

export const maskHeaders = (headers: Headers): Headers => mapValues(headers, () => MASK);

/**
 * Returns the headers of a changed subscription, where a masked value keeps its stored value. Only while the origin of
 * `url` is the same: else a client could have a stored credential sent to an address of its choice.
 * @param stored the settings before the change; none for a new subscription
 */
export function keepHeaders(
  { url, headers }: Pick<SubscriptionSpec, 'url' | 'headers'>,
  stored?: Pick<SubscriptionSpec, 'url' | 'headers'>,
): { headers: Headers; problems: Problem[] } {
  // Nothing is sent without a url; a url that comes later has another origin than none.
  const isSameReceiver = url === null || originOf(url) === originOf(stored?.url ?? null);
  const problems: Problem[] = [];
  const kept = mapValues(headers, (value, name) => {
    if (value !== MASK) return value;
    const before = stored !== undefined && Object.hasOwn(stored.headers, name) ? stored.headers[name] : undefined;
    if (before !== undefined && isSameReceiver) return before;
    const why = before === undefined ? `${MASK} is no value` : 'must be sent again because url has another origin';
    problems.push({ code: 'entity.invalid', pointer: toPointer(['headers', name]), message: why });
    return value;
  });
  return { headers: kept, problems };
}

const originOf = (url: string | null): string | undefined =>
  url !== null && URL.canParse(url) ? new URL(url).origin : undefined;

const mapValues = (headers: Headers, change: (value: string, name: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value, name)]));
