import { isLoopbackHost } from '../../platform/kinds/network-addresses.js';

/**
 * The keys of S3 in a connection, in plain text. The specification's connections have no `keyID`: both are in `keySecret`
 * then, as ID:SECRET.
 */
export function s3Keys(
  keyID: string | undefined,
  keySecret: string,
): { accessKeyId: string; secretAccessKey: string } | undefined {
  if (keyID) return { accessKeyId: keyID, secretAccessKey: keySecret };
  const [, accessKeyId, secretAccessKey] = /^([^:\s]+):(\S+)$/.exec(keySecret) ?? [];
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
}

/**
 * Reads the address of an account of Azure, or of one container, with its shared access signature: over https, or on this
 * machine.
 */
export function azureAccess(text: string, container: string): { endpoint: string; sas: string } | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, host, pathname, search, searchParams, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(host));
  if (!isSafe || !searchParams.has('sig') || username !== '' || password !== '') return undefined;
  const path = pathname.replace(/\/$/, '');
  const account = path.endsWith(`/${container}`) ? path.slice(0, -container.length - 1) : path;
  return { endpoint: `${origin}${account}`, sas: search.slice(1) };
}

/** Whether a text can be a region: it becomes a part of a host name. */
export const isRegion = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
