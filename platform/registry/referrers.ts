import { z } from 'zod';
import { SlipwayError } from '../kinds/errors.js';
import type { createManifests } from './manifests.js';
import { type Descriptor, OCI, type StoredManifest } from './media-types.js';
import type { Session } from './session.js';

const Referrer = z.looseObject({ mediaType: z.string(), digest: z.string(), size: z.number() });
const Index = z.object({ manifests: z.array(Referrer) });
const Subject = z.object({
  subject: z.object({ digest: z.string() }),
  artifactType: z.string().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const MOST_WRITES = 10;

/** The tag under which the referrers of a manifest are listed where the registry does not list them by itself. */
const referrersTag = (digest: string): string => digest.replace(':', '-');

/** Manifests that name another one as their subject, such as its attestations (OCI distribution specification 1.1). */
export function createReferrers(session: Session, manifests: ReturnType<typeof createManifests>) {
  const { path } = session;

  async function byTag(digest: string): Promise<Descriptor[]> {
    const stored = await manifests.manifest(referrersTag(digest));
    return stored === undefined ? [] : read(stored.bytes.toString('utf8'), path);
  }

  async function referrers(digest: string): Promise<Descriptor[]> {
    const doing = `list the referrers of ${digest} in ${path}`;
    const answer = await session.askPatiently({ method: 'GET', url: `referrers/${digest}`, doing });
    const text = await answer.body.text();
    return answer.status === 200 ? read(text, path) : byTag(digest);
  }

  return {
    /** @returns the manifests that name `digest` as their subject, all or those of one type */
    async referrers(digest: string, artifactType?: string): Promise<Descriptor[]> {
      const found = await referrers(digest);
      return artifactType === undefined ? found : found.filter((each) => each.artifactType === artifactType);
    },

    /**
     * Writes a manifest that has a subject, and adds it to the subject's list where the registry does not. Two writers
     * of one list may overwrite each other: each reads again after it wrote.
     */
    async putReferrer({ mediaType, bytes }: Pick<StoredManifest, 'mediaType' | 'bytes'>): Promise<string> {
      const { subject, ...facts } = Subject.parse(JSON.parse(bytes.toString('utf8')));
      const { digest, listsReferrers } = await manifests.putManifest({ mediaType, bytes });
      if (listsReferrers) return digest;
      const own: Descriptor = { mediaType, digest, size: bytes.length, ...facts };
      for (let count = 0; count < MOST_WRITES; count += 1) {
        const listed = await byTag(subject.digest);
        if (listed.some((each) => each.digest === digest)) return digest;
        const index = { schemaVersion: 2, mediaType: OCI.index, manifests: [...listed, own] };
        const written = Buffer.from(JSON.stringify(index));
        await manifests.putManifest({ mediaType: OCI.index, bytes: written }, referrersTag(subject.digest));
      }
      throw new SlipwayError('conflict', `the referrers of ${subject.digest} in ${path} change all the time`);
    },
  };
}

function read(text: string, path: string): Descriptor[] {
  const parsed = Index.safeParse(JSON.parse(text));
  if (!parsed.success) throw new SlipwayError('internal', `the referrers in ${path} are no index`);
  return parsed.data.manifests; // members that the schema does not name stay
}
