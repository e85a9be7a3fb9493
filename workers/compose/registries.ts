import { imageRules } from '../../api/lifecycle/validation-context.js';
import type { Settings } from '../../config.js';
import { parseImageReference } from '../../platform/engines/image-reference.js';
import { createRegistries, type Registries } from '../../platform/registry/client.js';
import { outboundRules } from './outbound-rules.js';

/** Opens registries: those that settings name may be anywhere, those of connections only where callers may send us. */
export function openRegistries(settings: Settings): Registries {
  const { SLIPWAY_REGISTRY, SLIPWAY_IMAGE_MIRRORS, SLIPWAY_IMAGE_REGISTRIES = [] } = settings;
  const listed = [SLIPWAY_REGISTRY, ...SLIPWAY_IMAGE_REGISTRIES].map((each) => `${each}/image`);
  const named = [...listed, ...Object.values(SLIPWAY_IMAGE_MIRRORS)];
  const own = named.map((image) => parseImageReference(image).name.split('/')[0] ?? '');
  return createRegistries({ outbound: outboundRules(settings), own, images: imageRules(settings) });
}
