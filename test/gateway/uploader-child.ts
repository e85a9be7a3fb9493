import { createUploader } from '../../gateway/uploader.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createFileObjects } from './file-objects.js';
import { silent } from './silent.js';

/** Uploads a spool once and dies, as by `kill -9`, at the given step of its work with the store (0 = never). */
const [, , spoolDir = '', objectsDir = '', dieAt = '0'] = process.argv;
let steps = 0;
function step(): void {
  steps += 1;
  if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
}

const objects = createFileObjects(objectsDir);
const dying: ObjectStore = {
  ...objects,
  async put(key, body, options) {
    step();
    const result = await objects.put(key, body, options);
    step();
    return result;
  },
  async *list(prefix, range) {
    step();
    yield* objects.list(prefix, range);
  },
  async head(key) {
    step();
    return objects.head(key);
  },
};
await createUploader({ spoolDir, objects: dying, log: silent }).runOnce({ all: true });
console.log('done');
