import { parseImageReference } from '../engines/image-reference.js';
import { imageProblem, type ImageRules } from '../kinds/image-rules.js';
import { runFailed } from '../kinds/reasons.js';
import { createRegistryAgent } from '../outbound/registry-agent.js';
import { openRepository, type Repository } from './repository.js';
import type { SessionOptions } from './session.js';

export interface Registries {
  /**
   * @param image full name of an image or a repository; its tag and digest do not count
   * @throws run_failed when the rules refuse its name
   */
  open(image: string, access: Pick<SessionOptions, 'auth' | 'signal' | 'reason'>): Repository;
}

/** Opens repositories of any registry, under the rules for images on behalf of callers. */
export function createRegistries(rules: ImageRules, pausesMs?: readonly number[]): Registries {
  const dispatcher = createRegistryAgent(rules);
  return {
    open(image, access) {
      const problem = imageProblem(image, rules);
      if (problem !== undefined) throw runFailed({ reason: access.reason, message: problem });
      const { name } = parseImageReference(image);
      return openRepository({ name, ...access, dispatcher, pausesMs });
    },
  };
}
