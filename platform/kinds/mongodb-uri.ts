/** The options of a URI that decide what a fail-over takes back and what a read shows, and their only accepted value. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['w', 'majority'],
  ['j', 'true'],
  ['journal', 'true'],
  ['readpreference', 'primary'],
]);

/** Returns the first option of a MongoDB URI that weakens writes or reads, such as `w=1`. Names ignore case. */
export function weakOption(uri: string): string | undefined {
  for (const [name, value] of optionsOf(uri)) {
    const required = REQUIRED.get(name.toLowerCase());
    if (required !== undefined && value !== required) return `${name}=${value}`;
  }
  return undefined;
}

/** Whether the connection is encrypted, and to a server whose certificate is checked. */
export function hasTls(uri: string): boolean {
  const options = new Map([...optionsOf(uri)].map(([name, value]) => [name.toLowerCase(), value]));
  if (UNCHECKED.some((name) => options.get(name) === 'true')) return false;
  return (options.get('tls') ?? options.get('ssl') ?? String(uri.startsWith('mongodb+srv:'))) === 'true';
}

/** Options that accept the certificate of any server. */
const UNCHECKED = ['tlsinsecure', 'tlsallowinvalidcertificates', 'tlsallowinvalidhostnames'];

/** Whether the URI names a user, or takes one from a certificate or from the platform that it runs on. */
export function hasCredentials(uri: string): boolean {
  const mechanisms = [...optionsOf(uri)].filter(([name]) => name.toLowerCase() === 'authmechanism');
  return /^mongodb(\+srv)?:\/\/[^/@]+@/.test(uri) || mechanisms.some(([, value]) => OWN_USER.includes(value));
}

const OWN_USER = ['MONGODB-X509', 'MONGODB-AWS', 'MONGODB-OIDC', 'GSSAPI'];

function optionsOf(uri: string): URLSearchParams {
  const [, query] = uri.split('?');
  return new URLSearchParams(query);
}
