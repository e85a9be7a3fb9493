/** A registry of a cloud, whose passwords are tokens that end soon. */
export type CloudRegistry =
  { cloud: 'amazon'; region: string; fips: boolean } | { cloud: 'google' } | { cloud: 'azure'; host: string };

const AMAZON = /^\d+\.dkr\.ecr(-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;
const GOOGLE = /^(?:[a-z0-9-]+-docker\.pkg\.dev|(?:[a-z]+\.)?gcr\.io)$/;
const AZURE = /^[a-z0-9-]+\.azurecr\.io$/;

/** The cloud of a registry, by its host; `undefined` for any other one. */
export function cloudRegistry(uri: string): CloudRegistry | undefined {
  const [host = ''] = uri
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split('/');
  const [, fips, region] = AMAZON.exec(host) ?? [];
  if (region !== undefined) return { cloud: 'amazon', region, fips: fips !== undefined };
  if (GOOGLE.test(host)) return { cloud: 'google' };
  return AZURE.test(host) ? { cloud: 'azure', host } : undefined;
}

/** Whether a uri is, or lies below, one of those that an operator opened to the identity of the platform. */
export function isAmbientRegistry(uri: string, opened: readonly string[]): boolean {
  const path = `${uri.toLowerCase()}/`;
  return opened.some((each) => path.startsWith(`${each.toLowerCase().replace(/\/$/, '')}/`));
}

/** The client of a service principal as a connection has it, `TENANT/CLIENT`. */
export function azureClient(keyID: string): { tenant: string; client: string } | undefined {
  const [, tenant, client] = /^([A-Za-z0-9.-]+)\/([A-Za-z0-9-]+)$/.exec(keyID) ?? [];
  return tenant && client ? { tenant, client } : undefined;
}
