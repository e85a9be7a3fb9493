import { cancellationSignal } from '@temporalio/activity';
import type { ImageUses } from '../../lifecycle/stores/image-uses.js';
import { type LoopItem, untilNothingLeft } from '../../platform/kinds/loop-items.js';
import type { Repository } from '../../platform/registry/repository.js';
import { dueImages, type ImageUse, type KeptTimes } from './due-images.js';
import { openPlatformRepository, OWN_NAMES, type RegistryDeps } from './platform-repository.js';

export interface KeptImagesDeps extends RegistryDeps, KeptTimes {
  imageUses: ImageUses;
}

type Kept = Pick<Repository, 'tags' | 'manifestDigest' | 'removeManifest'>;

/** Most images that one call removes: a round goes on to other work in between. */
const AT_ONCE = 50;

/**
 * Removes base images and environments that no run used for long from the platform's registry. Images of models have the
 * layers of both for themselves, so that nothing that is deployed needs them; a run that does makes them again.
 */
export function* keptImages(deps: KeptImagesDeps): Generator<LoopItem> {
  for (const name of OWN_NAMES) {
    yield* untilNothingLeft(name, 'images_removed', async () => {
      const access = { signal: cancellationSignal(), reason: 'Internal' } as const;
      // Without the note of its uses: to look at an image is none.
      const { repository } = await openPlatformRepository({ ...deps, imageUses: undefined }, name, access);
      return removeUnused(deps, name, repository);
    });
  }
}

async function removeUnused(deps: KeptImagesDeps, name: string, repository: Kept): Promise<number> {
  const { imageUses } = deps;
  const latest = await usesOf(deps, name, repository);
  const due = dueImages(latest, deps).slice(0, AT_ONCE);
  if (due.length === 0) return 0;
  // Two tags may lead to one image.
  const kept = latest.filter((use) => !due.includes(use));
  const needed = new Set(await Promise.all(kept.map((use) => repository.manifestDigest(use.name))));
  let removed = 0;
  for (const { name: tag, at } of due) {
    if ((await imageUses.last(`${name}/${tag}`)) !== at) continue; // a run came in between
    const digest = await repository.manifestDigest(tag);
    if (digest && needed.has(digest)) continue;
    if (digest) await repository.removeManifest(digest);
    await imageUses.forget(`${name}/${tag}`);
    removed += 1;
  }
  return removed;
}

/** An image without a known use counts as used now. */
async function usesOf({ imageUses, now }: KeptImagesDeps, name: string, repository: Kept): Promise<ImageUse[]> {
  const uses: ImageUse[] = [];
  const last = await imageUses.below(`${name}/`);
  for (const tag of await repository.tags()) {
    const at = last.get(tag);
    if (at === undefined) await imageUses.note(`${name}/${tag}`);
    uses.push({ name: tag, at: at ?? now().toISOString() });
  }
  return uses;
}
