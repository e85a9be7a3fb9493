const TOKEN = 'token/';

/** The places of sealed texts: a text that is copied to another record or field does not open there. */
export const secretPlaces = {
  connection: (id: string, field: string): string => `Connection/${id}/${field}`,
  header: (subscription: string, name: string): string => `Subscription/${subscription}/headers/${name}`,
  signingKey: (subscription: string, kid: string): string => `Subscription/${subscription}/keys/${kid}`,
  /** The key that signs statements about images. */
  attestationKey: (): string => 'Installation/attestation-key',
  /** Cursors and page tokens, which clients keep: one kind is not taken for another. */
  token: (kind: 'page' | 'history' | 'deliveries' | 'failed' | 'feed'): string => `${TOKEN}${kind}`,
} as const;

/** Whether a place is that of a text which is in the hands of clients, not in the database. */
export const isToken = (place: string): boolean => place.startsWith(TOKEN);

/** Opens a sealed secret of the place. */
export type OpenSecret = (sealed: string, place: string) => string;
