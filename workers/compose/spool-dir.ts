import { join } from 'node:path';
import type { Settings } from '../../config.js';

/** Where the gateway leaves records and the uploader finds them. */
export const spoolDir = ({ SLIPWAY_STATE_DIR }: Settings): string => join(SLIPWAY_STATE_DIR, 'gateway', 'spool');
