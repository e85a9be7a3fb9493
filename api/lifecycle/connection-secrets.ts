import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { SECRET_FIELDS } from '../../lifecycle/kinds/connection-secrets.js';

/** Encryption of secrets at rest. */
export interface SecretBox {
  seal(secret: string): string;
  open(sealed: string): string;
  derive(purpose: string): Buffer[];
}

/** The spec as it is stored: no secret in plain text. */
export const sealSpec = (spec: ConnectionSpec, box: SecretBox): ConnectionSpec =>
  mapSecrets(spec, (text) => box.seal(text));

export const openSpec = (spec: ConnectionSpec, box: SecretBox): ConnectionSpec =>
  mapSecrets(spec, (text) => box.open(text));

/** As `sealSpec`; a secret that did not change keeps the sealed text of `stored`. */
export function resealSpec(spec: ConnectionSpec, stored: ConnectionSpec | undefined, box: SecretBox): ConnectionSpec {
  return mapSecrets(spec, (text, field) => {
    const sealed = stored?.[field];
    return sealed !== undefined && box.open(sealed) === text ? sealed : box.seal(text);
  });
}

function mapSecrets(
  spec: ConnectionSpec,
  change: (text: string, field: (typeof SECRET_FIELDS)[number]) => string,
): ConnectionSpec {
  const changed = { ...spec };
  for (const field of SECRET_FIELDS) {
    const text = spec[field];
    if (text) changed[field] = change(text, field);
  }
  return changed;
}
