import type { EngineDriver } from '../engines/driver.js';
import { SlipwayError } from '../kinds/errors.js';
import {
  imageProblem,
  type ImageRules,
  isLocalImage,
  isNamedBySettings,
  refusedRegistry,
  registryHost,
  registryOf,
} from '../kinds/image-rules.js';
import type { Resolve } from '../kinds/network-addresses.js';
import { outsideFailed } from '../kinds/outside-failure.js';
import { type Reason, runFailed } from '../kinds/reasons.js';
import { allowedAddresses, resolveHost } from './resolve-host.js';

interface GuardOptions {
  resolve?: Resolve;
  uses?: {
    /** Called before an image is brought to the engine. */
    brought: (image: string) => Promise<void>;
    /** Called with each image that the engine has already when it is asked for. */
    used: (image: string) => Promise<void>;
  };
}

/**
 * An engine that pulls and pushes allowed images only. The engine connects by itself, so that no address can be pinned: a
 * name is resolved and every address checked before the engine is asked. A list of registries closes what is left, as the
 * operator trusts those by their names.
 */
export function guardImages(
  engine: EngineDriver,
  rules: ImageRules,
  { resolve = resolveHost, uses }: GuardOptions = {},
): EngineDriver {
  async function requireAllowed(image: string, reason: Reason): Promise<void> {
    const problem = imageProblem(image, rules);
    if (problem !== undefined) throw runFailed({ reason, message: problem });
    if (isNamedBySettings(image, rules)) return;
    const host = registryHost(registryOf(image));
    const found = await allowedAddresses(host, { networks: rules.networks, resolve }).catch((cause: unknown) => {
      if (!(cause instanceof SlipwayError)) throw unresolved(host, reason, cause);
      throw runFailed({ reason, message: refusedRegistry(image, cause.message) }, cause);
    });
    if (found.length === 0) throw unresolved(host, reason);
  }

  return {
    ...engine,
    async ensureImage(image, auth, signal) {
      const problem = imageProblem(image, rules);
      if (problem !== undefined) throw runFailed({ reason: 'ImagePullFailed', message: problem });
      const present = await engine.inspectImage(image);
      if (present !== undefined) {
        await uses?.used(image);
        return present;
      }
      if (isLocalImage(image)) {
        const message = `the container engine has no image "${image}", and no registry has it: name one of a registry`;
        throw runFailed({ reason: 'ImagePullFailed', message });
      }
      await requireAllowed(image, 'ImagePullFailed');
      await uses?.brought(image);
      return engine.ensureImage(image, auth, signal);
    },
    async tag(image, alias) {
      await uses?.brought(alias);
      await engine.tag(image, alias);
    },
    async push(image, auth, log, signal) {
      await requireAllowed(image, 'PushFailed');
      return engine.push(image, auth, log, signal);
    },
  };
}

const unresolved = (host: string, reason: Reason, cause?: unknown): SlipwayError =>
  outsideFailed(
    { party: 'the image registry', said: `${host} has no address`, fault: 'its name cannot be resolved', reason },
    cause,
  );
