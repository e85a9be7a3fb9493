import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Repository } from '../registry/repository.js';
import { BUNDLE_TYPE } from './bundle.js';
import { parseJson } from './json.js';

/** The part of a repository that verification reads. */
export type AttestedRepository = Pick<Repository, 'referrers' | 'manifest' | 'readBlob'>;

const Carrier = z.object({
  layers: z.tuple([z.object({ mediaType: z.string(), digest: z.string(), size: z.number() })]),
});

/** A limit, because every party that may push to a repository may add statements: more are not read. */
const MOST_BUNDLES = 100;
const MOST_BYTES = 32 * 2 ** 20;

/** The bundles beside an image, as texts that are not checked yet; those of another form are left out. */
export async function readBundles(repository: AttestedRepository, digest: string): Promise<string[]> {
  const listed = await repository.referrers(digest);
  const ours = listed.filter(({ artifactType = '' }) => artifactType === BUNDLE_TYPE).slice(0, MOST_BUNDLES);
  const bundles: string[] = [];
  for (const { digest } of ours) {
    const stored = await repository.manifest(digest);
    const layer = stored && layerOf(stored.bytes);
    if (layer !== undefined && layer.size <= MOST_BYTES) bundles.push(await text(repository.readBlob(layer)));
  }
  return bundles;
}

function layerOf(manifest: Buffer): { digest: string; size: number } | undefined {
  const { data } = Carrier.safeParse(parseJson(manifest.toString('utf8')));
  return data?.layers[0].mediaType === BUNDLE_TYPE ? data.layers[0] : undefined;
}
