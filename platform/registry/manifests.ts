import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SlipwayError } from '../kinds/errors.js';
import { DOCKER, OCI, type StoredManifest } from './media-types.js';
import type { Answer, Session } from './session.js';

const ACCEPT = [OCI.manifest, OCI.index, DOCKER.manifest, DOCKER.index].join(', ');
/** The least size that every registry must take (OCI distribution specification, "Pushing manifests"). */
const MOST_BYTES = 4 * 2 ** 20;
const TAGS = 1_000;
const Tags = z.object({ tags: z.array(z.string()).nullish() });

export const digestOfBytes = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export function createManifests(session: Session) {
  const { registry, path } = session;

  async function ask(method: 'GET' | 'HEAD', reference: string): Promise<Answer | undefined> {
    const doing = `give the manifest ${reference} of ${path}`;
    const headers = { accept: ACCEPT };
    const answer = await session.askPatiently({ method, url: `manifests/${reference}`, headers, doing });
    if (answer.status === 200) return answer;
    if (answer.status !== 404) throw await session.refuse(answer, doing);
    await answer.body.dump();
    return undefined;
  }

  return {
    /** @param reference tag or digest. @returns `undefined` when there is none */
    async manifest(reference: string): Promise<StoredManifest | undefined> {
      const answer = await ask('GET', reference);
      if (answer === undefined) return undefined;
      const bytes = await bytesOf(answer, `${registry}/${path} ${reference}`);
      const digest = digestOfBytes(bytes);
      if (reference.startsWith('sha256:') && reference !== digest)
        throw new SlipwayError('internal', `registry ${registry} gave another manifest for ${reference} of ${path}`);
      const mediaType = answer.header('content-type')?.split(';')[0] ?? OCI.manifest;
      return { mediaType, digest, bytes };
    },

    /** The digest that a tag or a digest leads to now; `''` when the registry does not give it, `undefined` without a manifest. */
    async manifestDigest(reference: string): Promise<string | undefined> {
      const answer = await ask('HEAD', reference);
      await answer?.body.dump();
      return answer && (answer.header('docker-content-digest') ?? '');
    },

    /** The tags of the repository; none when it does not exist. */
    async tags(): Promise<string[]> {
      const found: string[] = [];
      const doing = `list the tags of ${path}`;
      for (let last = ''; ; last = found.at(-1) ?? '') {
        const url = `tags/list?n=${TAGS}${last === '' ? '' : `&last=${encodeURIComponent(last)}`}`;
        const answer = await session.askPatiently({ method: 'GET', url, doing });
        if (answer.status !== 200 && answer.status !== 404) throw await session.refuse(answer, doing);
        const { tags } = Tags.parse(answer.status === 200 ? await answer.body.json() : await emptied(answer));
        found.push(...(tags ?? []));
        if (answer.header('link') === undefined || !tags?.length) return found;
      }
    },

    /** Removes a manifest, with each tag that leads to it; none is success. */
    async removeManifest(digest: string): Promise<void> {
      const doing = `remove the manifest ${digest} of ${path}`;
      const answer = await session.askPatiently({ method: 'DELETE', url: `manifests/${digest}`, doing });
      if (![200, 202, 404].includes(answer.status)) throw await session.refuse(answer, doing);
      await answer.body.dump();
    },

    /** Writes a manifest whose blobs are there. @param tag default: by its digest alone */
    async putManifest({ mediaType, bytes }: Pick<StoredManifest, 'mediaType' | 'bytes'>, tag?: string) {
      const digest = digestOfBytes(bytes);
      const doing = `take the manifest ${tag ?? digest} for ${path}`;
      const headers = { 'content-type': mediaType };
      const url = `manifests/${tag ?? digest}`;
      const answer = await session.askPatiently({ method: 'PUT', url, headers, body: bytes, doing });
      if (answer.status !== 201) throw await session.refuse(answer, doing);
      await answer.body.dump();
      // A registry that lists referrers by itself says so.
      return { digest, listsReferrers: answer.header('oci-subject') !== undefined };
    },
  };
}

async function emptied({ body }: Answer): Promise<object> {
  await body.dump();
  return {};
}

async function bytesOf({ body }: Answer, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BYTES) throw new SlipwayError('internal', `manifest ${what} is longer than ${MOST_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}
