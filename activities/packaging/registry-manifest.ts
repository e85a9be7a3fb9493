import type { RegistryAuth } from '../../platform/engines/driver.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { isLoopbackHost } from '../../platform/kinds/network-addresses.js';
import { mayHaveCredentials } from '../../platform/outbound/token-realm.js';
import { SlipwayError } from '../../platform/kinds/errors.js';

interface Manifest {
  /** Full image name. */
  image: string;
  auth: RegistryAuth | undefined;
  signal: AbortSignal;
}

const ACCEPT = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

/**
 * The manifest that a registry has under an image's name now (OCI distribution specification, "Pulling manifests").
 * @returns its digest, `''` when the registry does not tell it, `undefined` when there is none
 * @throws unavailable when the registry does not answer, or not in a way that tells
 */
export async function manifestDigest({ image, auth, signal }: Manifest): Promise<string | undefined> {
  const { name, tag, digest } = parseImageReference(image);
  const [registry = '', ...path] = name.split('/');
  const url = `${schemeOf(registry)}://${registry}/v2/${path.join('/')}/manifests/${digest ?? tag}`;
  const basic = auth && `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  const ask = (authorization: string | undefined) =>
    request(url, signal, {
      method: 'HEAD',
      headers: { accept: ACCEPT, ...(authorization === undefined ? {} : { authorization }) },
    });
  let reply = await ask(basic);
  const challenge = reply.headers.get('www-authenticate') ?? '';
  if (reply.status === 401 && /^bearer /i.test(challenge))
    reply = await ask(await bearer(challenge, { registry, basic, signal }));
  if (reply.ok) return reply.headers.get('docker-content-digest') ?? '';
  if (reply.status === 404) return undefined;
  const publicMessage = `the registry answered ${reply.status}`;
  throw new SlipwayError('unavailable', `registry ${registry} answered ${reply.status} for ${image}`, {
    publicMessage,
  });
}

/** Registries on loopback are spoken to without TLS, as every engine does. */
export const schemeOf = (registry: string): string => (isLoopbackHost(registry) ? 'http' : 'https');

/** A token of the realm that the challenge names (distribution's token authentication). */
async function bearer(
  challenge: string,
  { registry, basic, signal }: { registry: string; basic: string | undefined; signal: AbortSignal },
): Promise<string> {
  const field = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const url = `${field('realm')}?${new URLSearchParams({ service: field('service'), scope: field('scope') }).toString()}`;
  const reply = await request(url, signal, {
    headers: basic !== undefined && mayHaveCredentials(field('realm'), registry) ? { authorization: basic } : {},
  });
  const { token, access_token } = (await reply.json()) as { token?: string; access_token?: string };
  return `Bearer ${token ?? access_token ?? ''}`;
}

function request(url: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
  return fetch(url, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  }).catch((cause: unknown) => {
    const publicMessage = 'the registry does not answer';
    throw new SlipwayError('unavailable', `${new URL(url).host} does not answer`, { publicMessage, cause });
  });
}
