import { cancellationSignal } from '@temporalio/activity';
import type { ImageUses } from '../../lifecycle/stores/image-uses.js';
import { type LoopItem, untilNothingLeft } from '../../platform/kinds/loop-items.js';
import type { Repository } from '../../platform/registry/repository.js';
import { openPlatformRepository, OWN_NAMES, type RegistryDeps } from './platform-repository.js';

export interface KeptImagesDeps extends RegistryDeps {
  imageUses: ImageUses;
  /** Days after its last use that an image is kept. */
  days: number;
  /** Most images that each repository keeps; those that runs may still need stay all the same. */
  most: number;
  /** The longest time of a run: what was used in it stays. */
  runSeconds: number;
  now: () => Date;
}

type Kept = Pick<Repository, 'tags' | 'manifestDigest' | 'removeManifest'>;

const DAY_MS = 86_400_000;
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
  const { imageUses, days, most, runSeconds, now } = deps;
  const before = (ms: number) => new Date(now().getTime() - ms).toISOString();
  const [old, free] = [before(days * DAY_MS), before(Math.max(DAY_MS, runSeconds * 2_000))];
  const latest = (await usesOf(deps, name, repository)).toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const isDue = ({ at }: Use, index: number) => at < free && (at < old || index >= most);
  const due = latest.filter(isDue).slice(-AT_ONCE);
  if (due.length === 0) return 0;
  // Two tags may lead to one image.
  const kept = latest.filter((use) => !due.includes(use));
  const needed = new Set(await Promise.all(kept.map(({ tag }) => repository.manifestDigest(tag))));
  let removed = 0;
  for (const { tag, at } of due) {
    if ((await imageUses.last(`${name}/${tag}`)) !== at) continue; // a run came in between
    const digest = await repository.manifestDigest(tag);
    if (digest && needed.has(digest)) continue;
    if (digest) await repository.removeManifest(digest);
    await imageUses.forget(`${name}/${tag}`);
    removed += 1;
  }
  return removed;
}

interface Use {
  tag: string;
  at: string;
}

/** An image without a known use counts as used now. */
async function usesOf({ imageUses, now }: KeptImagesDeps, name: string, repository: Kept): Promise<Use[]> {
  const uses: Use[] = [];
  for (const tag of await repository.tags()) {
    const at = await imageUses.last(`${name}/${tag}`);
    if (at === undefined) await imageUses.note(`${name}/${tag}`);
    uses.push({ tag, at: at ?? now().toISOString() });
  }
  return uses;
}
