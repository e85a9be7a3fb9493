import { Agent } from 'undici';
import { openProcess } from '../../../reference/stores/dataset-process.js';
import { openScene, type SceneNames } from '../../notifications/notification-scene.js';
import { borrow } from './lent-database.js';
import { halfway, isOfProbe, isOfWriter, type Point, stopAt } from './points.js';

/**
 * A process to be killed: delivers for each of the given subscriptions, or writes to their datasets, until it comes to the
 * point, says so, and goes no further. When the parent says that it may go on, it is one that was given up and comes back.
 */
export interface MortalTask {
  point: Point;
  scenes: readonly SceneNames[];
  attemptMs?: number;
}

const { point, scenes, attemptMs } = JSON.parse(process.argv[2] ?? '') as MortalTask;
const goOn = new Promise<void>((resolve) => process.on('message', (word) => word === 'go on' && resolve()));
const database = borrow();

const drains = scenes.map(async (names) => {
  const stop = (): Promise<void> => {
    process.send?.({ reached: names.id });
    return goOn;
  };
  const stopping = stopAt(point, database, stop);
  if (isOfWriter(point)) {
    const { follower, writer, put } = openProcess(stopping, names.dataset);
    await follower.catchUp();
    return void (await writer.write(put('1', 'a')));
  }
  const agent = point === 'within the body' ? halfway(stop) : new Agent();
  const scene = openScene(stopping, names, agent);
  if (isOfProbe(point)) await scene.probe();
  await scene.drain({ idleMs: 100, ...(attemptMs !== undefined && { attemptMs }) });
  await scene.close();
});
await Promise.all(drains);
process.send?.({ ended: true });
process.disconnect();
