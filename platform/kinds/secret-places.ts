/** The places of sealed texts: a text that is copied to another record or field does not open there. */
export const secretPlaces = {
  connection: (id: string, field: string): string => `Connection/${id}/${field}`,
  header: (subscription: string, name: string): string => `Subscription/${subscription}/headers/${name}`,
  signingKey: (subscription: string, kid: string): string => `Subscription/${subscription}/keys/${kid}`,
  /** Cursors and page tokens, which clients keep: one kind is not taken for another. */
  token: (kind: 'page' | 'history' | 'deliveries' | 'failed' | 'feed'): string => `token/${kind}`,
} as const;

/** Opens a sealed secret of the place. */
export type OpenSecret = (sealed: string, place: string) => string;
