import { parseImageReference } from '../engines/image-reference.js';
import { imageProblem, type ImageRules } from '../kinds/image-rules.js';
import { runFailed } from '../kinds/reasons.js';
import { createPublicAgent } from '../outbound/public-agent.js';
import { createRegistryAgent } from '../outbound/registry-agent.js';
import type { OutboundRules } from '../outbound/resolve-host.js';
import { openRepository, type Repository } from './repository.js';
import type { SessionOptions } from './session.js';

interface RegistriesOptions {
  /** Where registries may be that callers name. */
  outbound: OutboundRules;
  /** `host[:port]` of registries that the operator names: they may be anywhere. */
  own: readonly string[];
  /** The images that callers may name; absent: all. */
  images?: ImageRules;
  pausesMs?: readonly number[];
}

export interface Registries {
  /**
   * @param image full name of an image or a repository; its tag and digest do not count
   * @throws run_failed, for an image that is not allowed
   */
  open(image: string, access: Pick<SessionOptions, 'auth' | 'signal' | 'reason'>): Repository;
}

/** Opens repositories of any registry, under the rules for connections on behalf of callers. */
export function createRegistries({ outbound, own, images, pausesMs }: RegistriesOptions): Registries {
  const { resolve } = outbound;
  const guarded =
    images === undefined ? createPublicAgent({ policy: outbound, resolve }) : createRegistryAgent(images, resolve);
  return {
    open(image, access) {
      const problem = images && imageProblem(image, images);
      if (problem !== undefined) throw runFailed({ reason: access.reason, message: problem });
      const { name } = parseImageReference(image);
      const [registry = ''] = name.split('/');
      const dispatcher = own.includes(registry) ? undefined : guarded;
      return openRepository({ name, ...access, dispatcher, pausesMs });
    },
  };
}
