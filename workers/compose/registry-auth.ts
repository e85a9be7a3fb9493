import { ambientRegistries, imageRules } from '../../api/lifecycle/validation-context.js';
import type { Settings } from '../../config.js';
import { createRegistryAuth, type RegistryAuthOf } from '../../lifecycle/stores/registry-auth.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';
import { createPublicHttpAgents } from '../../platform/outbound/public-http-agents.js';
import { createRegistryAgent } from '../../platform/outbound/registry-agent.js';
import { outboundRules } from './outbound-rules.js';

/** Credentials of connections for registries, under the rules for what the platform asks on behalf of callers. */
export const openRegistryAuth = (settings: Settings, openSecret: OpenSecret): RegistryAuthOf =>
  createRegistryAuth({
    openSecret,
    ambientRegistries: ambientRegistries(settings),
    dispatcher: createRegistryAgent(imageRules(settings)),
    agents: createPublicHttpAgents({ policy: outboundRules(settings) }),
  });
