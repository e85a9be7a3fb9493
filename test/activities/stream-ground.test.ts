import { afterEach, expect, test } from '@jest/globals';
import { createStreamGround } from '../../activities/stream-ground.js';
import type { PlatformEvent, StreamEntry } from '../../resources/platform-event.js';
import { collections } from '../../stores/collections.js';
import { createEventStream } from '../../stores/event-stream.js';
import { createStreamLog } from '../../stores/stream-log.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});

/** Runs of pipelines that end, and evaluators of watches of them. */
async function open() {
  const scene = await openWatchScene();
  scenes.push(scene);
  const { database, away } = scene;
  let time = scene.start;
  const now = () => new Date(time);
  const events = createEventStream({ database, stream: 'pipeline', now });
  const log = createStreamLog<StreamEntry>({ database, collection: collections.streams, stream: 'pipeline' });
  const refuse = (): never => {
    throw new Error('the log does not move');
  };
  let runs = 0;
  return {
    ...scene,
    events,
    log,
    at: (minute: number): void => {
      time = scene.start + minute * 60_000;
      scene.at(minute);
    },
    ends: async (pipeline: string, word: 'succeeded' | 'failed' = 'succeeded'): Promise<PlatformEvent> => {
      const id = `${pipeline}-${(runs += 1)}`;
      const data = { kind: 'PipelineRun', id, version: 3, generation: 1, pipeline };
      const event: PlatformEvent = {
        ...{ key: `pipeline/PipelineRun/${id}/3`, type: `pipeline.run.${word}`, source: '/api/v1/model/pipeline' },
        ...{ subject: `run/${id}`, version: 3, at: now().toISOString(), data: JSON.stringify(data) },
      };
      await events.publish(event);
      return event;
    },
    ofRuns: (more: object = {}) =>
      scene.watch({
        each: 'set',
        scope: { stream: 'pipeline', types: ['pipeline.run.succeeded'], filter: 'pipeline == wine' },
        ...more,
      }),
    judge: () =>
      scene.evaluator({
        name: 'pipeline',
        ground: createStreamGround('pipeline', events),
        log: {
          ...log,
          read: (position) => (away.log ? refuse() : events.read(position)),
          insert: (entry) => (away.log ? refuse() : log.insert(entry)),
        },
        now,
        sharedTime: async () => now(),
      }),
  };
}

test('no run that succeeds for too long is told once, whatever else happens on the platform', async () => {
  const { ends, at, ofRuns, judge, told, events } = await open();
  await ends('wine');
  const [wanted, evaluator] = [ofRuns(), judge()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ state: 'watching', armed: 1 });
  at(6);
  await ends('wine', 'failed');
  await ends('beer');
  at(11);
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await told()).toEqual(['watch.absent set 10m']);
  // The silence is proven by an entry of its own, which nobody is told of.
  const end = await events.end();
  expect(await events.read(end)).toMatchObject({ kind: 'heartbeat' });
  at(13);
  await ends('wine');
  await evaluator.turn([wanted]);
  expect(await told()).toEqual(['watch.absent set 10m', 'watch.resumed set 13m']);
});

test('a gap that began and ended while nobody judged is told, and only once by a second evaluator', async () => {
  const { ends, at, ofRuns, judge, told } = await open();
  await ends('wine');
  const [wanted, first] = [ofRuns(), judge()];
  await first.turn([wanted]);
  await first.save();
  at(15);
  await ends('wine');
  at(27);
  await ends('beer');
  const second = judge();
  await second.turn([wanted]);
  await first.turn([wanted]);
  expect(await told()).toEqual(['watch.absent set 10m', 'watch.resumed set 15m', 'watch.absent set 25m']);
});

test('an event that was appended twice counts where it was first', async () => {
  const { ends, at, ofRuns, judge, told, events, log } = await open();
  const event = await ends('wine');
  const [wanted, evaluator] = [ofRuns(), judge()];
  await evaluator.turn([wanted]);
  at(9);
  const position = (await events.end()) + 1;
  await log.insert({ kind: 'event', event, position, at: new Date().toISOString(), token: 'again' });
  expect(await events.read(position)).toMatchObject({ repeated: true });
  at(11);
  await evaluator.turn([wanted]);
  expect(await told()).toEqual(['watch.absent set 10m']);
});

test('while the stream does not move nothing is told, and the watch is unknown', async () => {
  const { ends, at, ofRuns, judge, told, away } = await open();
  await ends('wine');
  const [wanted, evaluator] = [ofRuns(), judge()];
  await evaluator.turn([wanted]);
  away.log = true;
  at(11);
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ state: 'unknown' });
  expect(await told()).toEqual([]);
  away.log = false;
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await told()).toEqual(['watch.absent set 10m']);
});

test('one that never ran is told of when it counts from the creation of the watch alone', async () => {
  const { ends, at, ofRuns, judge, told } = await open();
  await ends('beer');
  const [waiting, counting] = [ofRuns(), ofRuns({ arm_at: 'creation' })];
  const evaluator = judge();
  await evaluator.turn([waiting, counting]);
  expect(evaluator.stateOf(waiting)).toMatchObject({ armed: 0 });
  at(11);
  await evaluator.turn([waiting, counting]);
  await evaluator.turn([waiting, counting]);
  expect(await told()).toEqual(['watch.absent set 10m']);
});
