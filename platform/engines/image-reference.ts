export { fullImageReference, parseImageReference } from '../kinds/image-reference.js';
