import type { Connection, ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { SECRET_FIELDS, type SecretField } from '../../lifecycle/kinds/connection-secrets.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';
import type { SecretBox } from '../../platform/stores/secrets.js';

type Identified = Pick<Connection, 'id' | 'spec'>;

/** Returns the spec as it is stored: no secret in plain text. */
export const sealSpec = (connection: Identified, box: Pick<SecretBox, 'seal'>): ConnectionSpec =>
  mapSecrets(connection, (text, { place }) => box.seal(text, place));

export const openSpec = (connection: Identified, box: Pick<SecretBox, 'open'>): ConnectionSpec =>
  mapSecrets(connection, (text, { place }) => box.open(text, place));

/**
 * As `sealSpec`, for a change. A secret that did not change keeps its sealed text, so that equal specs stay equal; when
 * the spec is another one, texts that are not sealed as they are today are sealed again.
 */
export function resealSpec(changed: Identified, stored: ConnectionSpec | undefined, box: SecretBox): ConnectionSpec {
  const kept = mapSecrets(changed, (text, { field, place }) => {
    const sealed = stored?.[field];
    return sealed !== undefined && box.open(sealed, place) === text ? sealed : box.seal(text, place);
  });
  if (isSameJson(kept, stored)) return kept;
  return mapSecrets({ ...changed, spec: kept }, (sealed, { place }) => resealed(sealed, place, box));
}

/** The spec before a change with the seals after it where the secret is the same, so that the audit shows no change. */
export const withSealsOf = (before: Connection, after: ConnectionSpec, box: Pick<SecretBox, 'open'>): Connection => ({
  ...before,
  spec: mapSecrets(before, (sealed, { field, place }) => {
    const other = after[field];
    return other && box.open(other, place) === box.open(sealed, place) ? other : sealed;
  }),
});

/** A sealed text in the present form under the present key. */
const resealed = (sealed: string, place: string, box: SecretBox): string =>
  box.isCurrent(sealed) ? sealed : box.seal(box.open(sealed, place), place);

function mapSecrets(
  { id, spec }: Identified,
  change: (text: string, at: { field: SecretField; place: string }) => string,
): ConnectionSpec {
  const changed = { ...spec };
  for (const field of SECRET_FIELDS) {
    const text = spec[field];
    if (text) changed[field] = change(text, { field, place: secretPlaces.connection(id, field) });
  }
  return changed;
}
