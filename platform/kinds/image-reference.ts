/** An image reference in full: engines differ in how they complete a short one, or refuse it. */
export interface ImageReference {
  /** With the registry, without tag and digest. */
  name: string;
  tag?: string;
  /** `sha256:...` */
  digest?: string;
}

const IMAGE_ID = /^sha256:[0-9a-f]{64}$/;

/** Whether it is the id of an image that an engine has, and no name. */
export const isImageId = (text: string): boolean => IMAGE_ID.test(text);

/** `python:3.6` is `docker.io/library/python:3.6`; without tag and digest the tag is `latest`. */
export function parseImageReference(text: string): ImageReference {
  const [path = '', digest] = text.split('@', 2);
  const colon = path.lastIndexOf(':');
  const tagged = colon > path.lastIndexOf('/');
  const name = completeName(tagged ? path.slice(0, colon) : path);
  const tag = tagged ? path.slice(colon + 1) : undefined;
  if (digest !== undefined) return { name, tag, digest };
  return { name, tag: tag ?? 'latest' };
}

/** The reference as an engine finds it; a digest wins over a tag, an image id (`sha256:...`) stays as it is. */
export function fullImageReference(text: string): string {
  if (isImageId(text)) return text;
  const { name, tag, digest } = parseImageReference(text);
  return digest === undefined ? `${name}:${tag}` : `${name}@${digest}`;
}

function completeName(name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) return `docker.io/library/${name}`;
  const first = name.slice(0, slash);
  return /[.:]/.test(first) || first === 'localhost' ? name : `docker.io/${name}`;
}
