import { cancellationSignal } from '@temporalio/activity';
import { findRegistryConnection } from '../../lifecycle/attestation/image-verifier.js';
import type { ImageUses } from '../../lifecycle/stores/image-uses.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import type { Repository } from '../../platform/registry/repository.js';
import { dueImages, type ImageUse, type KeptTimes } from './due-images.js';
import { namedImages, type NamedImagesDeps } from './named-images.js';
import type { RegistryDeps } from './platform-repository.js';

export interface ModelImagesDeps extends KeptTimes, NamedImagesDeps, RegistryDeps {
  imageUses: ImageUses;
}

/** The beginning of the names of their uses. */
const PLACE = 'model/';
/** The list of the statements about an image, in a registry that does not list them by itself. */
const LIST_TAG = /^sha256-[0-9a-f]{64}$/;

/** Notes an image that a packaging pushed by its digest. */
export const noteModelImage = async ({ imageUses }: RegistryDeps, name: string, digest: string): Promise<void> =>
  imageUses?.note(`${PLACE}${name}@${digest}`);

/**
 * Removes images of models, with the statements about them, that packagings pushed long ago and that neither a tag nor a
 * resource names: those that failed their check, and those whose tag moved to another image. One that a tag names stays,
 * as a program beside the platform may pull it.
 */
export async function* modelImages(deps: ModelImagesDeps): AsyncGenerator<LoopItem> {
  const uses = [...(await deps.imageUses.below(PLACE))].map(([name, at]) => ({ name, at }));
  const due = dueImages(uses, { ...deps, most: Infinity });
  if (due.length === 0) return;
  const byRepository = new Map<string, ImageUse[]>();
  for (const use of due) {
    const [repository = ''] = use.name.split('@');
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), use]);
  }
  for (const [name, images] of [...byRepository].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const act = async () => {
      const removed = await removeUnnamed(deps, name, images);
      return removed === 0 ? undefined : { images_removed: removed };
    };
    yield { name, act };
  }
}

async function removeUnnamed(deps: ModelImagesDeps, name: string, images: readonly ImageUse[]): Promise<number> {
  const connection = await findRegistryConnection(deps.connections, name);
  if (connection === undefined) return 0; // nothing says how to reach the registry
  const reason = 'Internal';
  const auth = await deps.registryAuth(name, connection, { reason, push: true });
  const repository = deps.registries.open(name, { auth, signal: cancellationSignal(), reason });
  const tagged = await taggedDigests(repository);
  // A registry may have several host names.
  const named = new Set([...(await namedImages(deps))].map((image) => image.split('@')[1]));
  let removed = 0;
  for (const image of images) {
    const [use, digest = ''] = [PLACE + image.name, image.name.split('@')[1]];
    // Examined again after as many days.
    if (tagged.has(digest) || named.has(digest)) await deps.imageUses.note(use);
    // Otherwise a packaging pushed it once more in between.
    else if ((await deps.imageUses.last(use)) === image.at) {
      await removeImage(repository, digest);
      await deps.imageUses.forget(use);
      removed += 1;
    }
  }
  return removed;
}

/** The digests that tags lead to, by the lists of images of several platforms as well. */
async function taggedDigests(repository: Repository): Promise<ReadonlySet<string>> {
  const tagged = new Set<string>();
  for (const tag of (await repository.tags()).filter((each) => !LIST_TAG.test(each))) {
    const manifest = await repository.manifest(tag);
    if (manifest === undefined) continue;
    tagged.add(manifest.digest);
    const { manifests = [] } = JSON.parse(manifest.bytes.toString('utf8')) as { manifests?: { digest: string }[] };
    for (const { digest } of manifests) tagged.add(digest);
  }
  return tagged;
}

/** The image goes last: as long as it is there, an interrupted removal is repeated. */
async function removeImage(repository: Repository, digest: string): Promise<void> {
  for (const statement of await repository.referrers(digest)) await repository.removeManifest(statement.digest);
  const list = await repository.manifestDigest(digest.replace(':', '-'));
  if (list) await repository.removeManifest(list);
  await repository.removeManifest(digest);
}
