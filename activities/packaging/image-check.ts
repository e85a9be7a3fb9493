import { cancellationSignal } from '@temporalio/activity';
import type { EngineDriver, Handle, RegistryAuth } from '../../platform/engines/driver.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import { removeUnlessAborted } from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { logDuration } from '../shared/log-duration.js';
import type { PackagingStep } from './packaging-step.js';
import { checkCommandLine } from './command-line-check.js';
import { type CheckWatch, smokeTest } from './smoke-test.js';

interface ImageCheck {
  ref: RunRef;
  /** As the engine can pull it. */
  image: string;
  auth?: RegistryAuth;
  readySeconds: number;
  step: PackagingStep;
}

/** An image that passed, as the engine knows it. */
export interface CheckedImage {
  imageId: string;
  sizeBytes: number;
}

type Program = (engine: EngineDriver, handle: Handle, watch: CheckWatch) => Promise<string>;

/** How an image shows that it works, by its label; images of earlier releases have none. */
function checkOf(labels: Readonly<Record<string, string>>): { command: string[]; check: Program } {
  if (labels['dev.slipway.packager'] === 'container-cli') return { command: ['self_check'], check: checkCommandLine };
  return { command: [], check: smokeTest };
}

const containerOf = (ref: RunRef): Handle => ({ name: containerName('packaging', ref, 'smoke') });

/** Removes the container of a check that has passed; an absent one is removed already. */
export const removeCheck = (engine: EngineDriver, ref: RunRef): Promise<void> => engine.remove(containerOf(ref));

/**
 * Pulls the image, starts it without network and compares its answer with the recorded one. The container of an image
 * that passes is left to the next step, which removes it beside its own work.
 * @throws run_failed: SelfCheckFailed, ImagePullFailed
 */
export async function checkImage(
  engine: EngineDriver,
  { ref, image, auth, readySeconds, step }: ImageCheck,
): Promise<CheckedImage> {
  const { packaging, log, say, signal } = step;
  const canceled = cancellationSignal();
  const facts = await logDuration(say, 'image pulled', () => engine.ensureImage(image, auth, signal));
  const checked = { imageId: facts.id, sizeBytes: facts.sizeBytes };
  if (facts.labels['dev.slipway.packager'] === 'registered') {
    say('WARNING the image is not tested, as only its packager knows how: its deployment waits until it is ready');
    return checked;
  }
  const { command, check } = checkOf(facts.labels);
  const spec = {
    ...containerOf(ref),
    image,
    command,
    env: {},
    labels: { kind: 'packaging', id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'smoke' },
    network: 'none' as const,
    volumes: ['/tmp'],
    limits: containerLimits(packaging.spec.resources),
  };
  const { handle } = await logDuration(say, 'container created', () => engine.create(spec));
  try {
    await logDuration(say, 'container started', () => engine.start(handle));
    say(await logDuration(say, 'sample answered', () => check(engine, handle, { readySeconds, signal })));
    return checked;
  } catch (err) {
    for await (const line of engine.logs(handle, { follow: false })) await log.append(line);
    await removeUnlessAborted(engine, handle, canceled);
    throw err;
  }
}
