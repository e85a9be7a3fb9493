import { fullImageReference, isImageId, parseImageReference } from './image-reference.js';
import { isLoopbackHost, type Network, refusedAddress } from './network-addresses.js';

/** The images that the engine may pull and push on behalf of a caller. */
export interface ImageRules {
  /** Names of registries or beginnings of image names, such as `ghcr.io/acme`; undefined: all registries at public addresses. */
  registries?: readonly string[];
  /** Beginning of the names in the platform's own registry. */
  own: string;
  /** Images that settings name. */
  images: readonly string[];
  /** Ranges that are allowed although they are not public. */
  networks: readonly Network[];
}

/** Images that the platform makes in the engine itself; no registry has them. */
const LOCAL = 'slipway.local';
const LONGEST = 512;
// The grammar of the OCI distribution specification; a host may be an address too.
const HOST = /^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;
const PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,128}$/;

/** Why the engine may not pull or push an image, as far as its name tells; `undefined` when it may. */
export function imageProblem(image: string, rules: ImageRules): string | undefined {
  if (isImageId(image)) return undefined;
  if (!isImageReference(image)) return `"${shown(image)}" is no image reference, such as docker.io/library/python:3.11`;
  if (isNamedBySettings(image, rules)) return undefined;
  const registry = registryOf(image);
  if (rules.registries !== undefined) {
    const allowed = [rules.own, ...rules.registries].join(', ');
    return `image "${image}" is not allowed: SLIPWAY_IMAGE_REGISTRIES allows ${allowed}`;
  }
  const host = registryHost(registry);
  const address = isLoopbackHost(host) ? '127.0.0.1' : host;
  const refused = isAddress(address) ? refusedAddress(host, [address], rules.networks) : undefined;
  return refused && refusedRegistry(image, refused);
}

/** The sentence for a registry whose address is refused. */
export const refusedRegistry = (image: string, why: string): string =>
  `image "${image}" is not allowed: ${why}; SLIPWAY_OUTBOUND_NETWORKS opens networks, SLIPWAY_IMAGE_REGISTRIES names registries`;

/** Whether the operator chose where the image comes from: its address is then not checked. */
export function isNamedBySettings(image: string, { registries = [], own, images }: ImageRules): boolean {
  const reference = fullImageReference(image);
  if (images.some((each) => fullImageReference(each) === reference)) return true;
  return isUnder(image, [LOCAL, own, ...registries]);
}

/** `host[:port]`, of `docker.io` where the reference names none. */
export const registryOf = (image: string): string => parseImageReference(image).name.split('/')[0] ?? '';

/** The host of a registry as it is connected to: without port and brackets, an address in its usual notation. */
export function registryHost(registry: string): string {
  const url = `http://${registry}/`;
  return (URL.canParse(url) ? new URL(url).hostname : registry).replace(/^\[|\]$/g, '');
}

/** The hosts of registries that the operator chose. */
export const namedHosts = ({ registries = [], own, images }: ImageRules): string[] =>
  [`${own}/image`, ...registries.map((each) => `${each}/image`), ...images].map((image) =>
    registryHost(registryOf(image)),
  );

/** Whether the name lies in the platform's engine alone. */
export const isLocalImage = (image: string): boolean => isImageId(image) || isUnder(image, [LOCAL]);

function isUnder(image: string, beginnings: readonly string[]): boolean {
  const { name } = parseImageReference(image);
  return beginnings.some((each) => name === each || name.startsWith(`${each}/`));
}

function isImageReference(text: string): boolean {
  if (text.length > LONGEST) return false;
  const [path = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return false;
  const colon = path.lastIndexOf(':');
  const isTagged = colon > path.lastIndexOf('/');
  if (isTagged && !TAG.test(path.slice(colon + 1))) return false;
  const parts = (isTagged ? path.slice(0, colon) : path).split('/');
  const [first = '', ...rest] = parts;
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return hasHost ? HOST.test(first) && rest.every((part) => PART.test(part)) : parts.every((part) => PART.test(part));
}

const isAddress = (host: string): boolean => /^[0-9.]+$/.test(host) || host.includes(':');
/** The start of a text that may be as long as a request. */
const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);
