import { parseImageReference } from '../engines/image-reference.js';
import { createPublicAgent } from '../outbound/public-agent.js';
import type { OutboundRules } from '../outbound/resolve-host.js';
import { openRepository, type Repository } from './repository.js';
import type { SessionOptions } from './session.js';

interface RegistriesOptions {
  /** Where registries may be that callers name. */
  outbound: OutboundRules;
  /** `host[:port]` of registries that the operator names: they may be anywhere. */
  own: readonly string[];
  pausesMs?: readonly number[];
}

export interface Registries {
  /** @param image full name of an image or a repository; its tag and digest do not count */
  open(image: string, access: Pick<SessionOptions, 'auth' | 'signal' | 'reason'>): Repository;
}

/** Opens repositories of any registry, under the rules for connections on behalf of callers. */
export function createRegistries({ outbound, own, pausesMs }: RegistriesOptions): Registries {
  const guarded = createPublicAgent({ policy: outbound, resolve: outbound.resolve });
  return {
    open(image, access) {
      const { name } = parseImageReference(image);
      const [registry = ''] = name.split('/');
      const dispatcher = own.includes(registry) ? undefined : guarded;
      return openRepository({ name, ...access, dispatcher, pausesMs });
    },
  };
}
