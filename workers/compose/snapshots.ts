import { join } from 'node:path';
import type { Settings } from '../../config.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createSnapshots, type Snapshots } from '../../reference/stores/snapshots.js';

/** Snapshots of this installation's datasets, with files that all processes of this machine share. */
export const openSnapshots = (settings: Settings, objects: ObjectStore): Snapshots =>
  createSnapshots({ objects, folder: join(settings.SLIPWAY_STATE_DIR, 'snapshots', settings.SLIPWAY_DATABASE) });
