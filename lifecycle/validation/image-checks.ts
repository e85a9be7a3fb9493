import type { Findings } from '../../platform/kinds/findings.js';
import { imageProblem } from '../../platform/kinds/image-rules.js';
import type { Rules } from './validation.js';

/** An image must be one that this installation pulls; a name that must be resolved first is checked before each pull. */
export function checkImage(findings: Findings, path: string, image: unknown, { images }: Pick<Rules, 'images'>): void {
  if (images === undefined || typeof image !== 'string' || image === '' || findings.misfit(path)) return;
  findings.addIf(path, 'image_not_allowed', imageProblem(image, images));
}
