import type { ImageUses } from '../../lifecycle/stores/image-uses.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { fullImageReference } from '../../platform/engines/image-reference.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type LoopItem, untilNothingLeft } from '../../platform/kinds/loop-items.js';
import { dueImages, type ImageUse, type KeptTimes } from './due-images.js';
import { namedImages, type NamedImagesDeps } from './named-images.js';

export interface EngineImagesDeps extends KeptTimes, NamedImagesDeps {
  engine: Pick<EngineDriver, 'inspectImage' | 'removeImage'>;
  imageUses: ImageUses;
}

/** The beginning of the names of their uses. */
const PLACE = 'engine/';
/** One image has several spellings: without its registry, and with a tag beside its digest. */
const keyOf = (image: string): string => PLACE + fullImageReference(image);
/** Most images that one call removes: a round goes on to other work in between. */
const AT_ONCE = 50;
/** An image that is used all the time is noted once in this time. */
const NOTE_MS = 3_600_000;

/**
 * Notes the uses of images that the platform brought to the container engine. Only those are removed later: an image that
 * was there before is not the platform's.
 */
export function noteEngineImages({ imageUses, now }: Pick<EngineImagesDeps, 'imageUses' | 'now'>) {
  return {
    brought: (image: string): Promise<void> => imageUses.note(keyOf(image)),
    async used(image: string): Promise<void> {
      const at = await imageUses.last(keyOf(image));
      if (at !== undefined && now().getTime() - Date.parse(at) > NOTE_MS) await imageUses.note(keyOf(image));
    },
  };
}

/**
 * Removes images from the container engine that the platform brought there and no run used for long: a run that needs
 * one pulls it again. What a deployment, a revision that it can go back to, a service or a packaging names stays, and the
 * engine keeps each image that a container has.
 */
export const engineImages = (deps: EngineImagesDeps): Generator<LoopItem> =>
  untilNothingLeft('engine', 'images_removed', () => removeUnused(deps));

async function removeUnused(deps: EngineImagesDeps): Promise<number> {
  const uses = [...(await deps.imageUses.below(PLACE))].map(([name, at]): ImageUse => ({ name, at }));
  const due = dueImages(uses, deps);
  if (due.length === 0) return 0;
  const needed = await namedImages(deps);
  let removed = 0;
  for (const { name, at } of due) {
    if (removed === AT_ONCE) break;
    if (await removeImage(deps, { name, at }, needed)) removed += 1;
  }
  return removed;
}

async function removeImage(
  { engine, imageUses }: EngineImagesDeps,
  { name, at }: ImageUse,
  needed: ReadonlySet<string>,
): Promise<boolean> {
  const facts = await engine.inspectImage(name);
  if (needed.has(name) || (facts !== undefined && needed.has(facts.id))) return false;
  if ((await imageUses.last(PLACE + name)) !== at) return false; // a run came in between
  try {
    await engine.removeImage(name);
  } catch (err) {
    // A container has it, or another image is made of it.
    if (err instanceof SlipwayError && err.code === 'run_failed') return false;
    throw err;
  }
  await imageUses.forget(PLACE + name);
  return true;
}
