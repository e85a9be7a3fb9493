import type { Endpoint } from '../lifecycle/kinds/endpoint.js';

/** Added to the timeout of the image: it answers 504 by itself first. */
const GRACE_SECONDS = 5;
const LONGEST_SECONDS = 600;

/** How long the gateway waits for an answer of a deployment, in milliseconds. */
export const timeoutOf = ({ timeoutSeconds }: Endpoint): number =>
  Math.min(timeoutSeconds + GRACE_SECONDS, LONGEST_SECONDS) * 1_000;
