import type { Connection, ConnectionSpec } from '../kinds/connection.js';
import { SECRET_FIELDS, type SecretField } from '../kinds/connection-secrets.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';
import { createResealing, type Resealing } from '../../platform/stores/resealing.js';
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
export function sealChange(changed: Identified, stored: ConnectionSpec | undefined, box: SecretBox): ConnectionSpec {
  const kept = mapSecrets(changed, (text, { field, place }) => {
    const sealed = stored?.[field];
    return sealed !== undefined && box.open(sealed, place) === text ? sealed : box.seal(text, place);
  });
  return isSameJson(kept, stored) ? kept : resealSpec({ ...changed, spec: kept }, createResealing(box));
}

/** Returns a stored spec with its sealed texts as they are sealed today. */
export const resealSpec = (connection: Identified, { reseal }: Pick<Resealing, 'reseal'>): ConnectionSpec =>
  mapSecrets(connection, (sealed, { place }) => reseal(sealed, place));

/** The spec before a change with the seals after it where the secret is the same, so that the audit shows no change. */
export const withSealsOf = (before: Connection, after: ConnectionSpec, box: Pick<SecretBox, 'open'>): Connection => ({
  ...before,
  spec: mapSecrets(before, (sealed, { field, place }) => {
    const other = after[field];
    return other && box.open(other, place) === box.open(sealed, place) ? other : sealed;
  }),
});

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
