export { fullImageReference, parseImageReference, referenceIn } from '../kinds/image-reference.js';
