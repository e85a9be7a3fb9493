import { afterEach, expect, test } from '@jest/globals';
import { createEventWatchSource } from '../../../activities/notifications/event-watch-source.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import { collections } from '../../../platform/stores/collections.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createStreamLog } from '../../../platform/stores/stream-log.js';
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
    /** Something that happened to a resource. */
    happens: (type: string, id: string, more: object = {}): Promise<void> => {
      const data = { id, version: (runs += 1), generation: 1, ...more };
      return events.publish({
        ...{ key: `${type}/${id}/${runs}`, type, source: '/api/v1/model', subject: `${type.split('.')[1]}/${id}` },
        ...{ version: runs, at: now().toISOString(), data: JSON.stringify(data) },
      });
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
        source: createEventWatchSource(events),
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

const EACH = { each: 'entity', closed_notice: true };
const each = (types: string[], more: object = {}) => ({
  ...EACH,
  scope: { stream: 'pipeline', types, ...more },
});

test('each pipeline is to have a run that succeeds: one that stops is told, and the others are not', async () => {
  const { ends, at, watch, judge, told } = await open();
  await ends('wine');
  await ends('beer');
  const [wanted, evaluator] = [watch(each(['pipeline.run.succeeded'])), judge()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 2 });
  at(5);
  await ends('beer');
  await ends('rum');
  await ends('wine', 'failed');
  at(12);
  await ends('gin', 'failed'); // of which none succeeded yet
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 3 });
  await evaluator.save();
  at(14);
  await ends('wine');
  at(16);
  // Another one goes on with the names that this one gave.
  await ends('beer', 'failed');
  await judge().turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await told()).toEqual([
    'watch.absent pipeline/wine 10m',
    'watch.resumed pipeline/wine 14m',
    'watch.absent pipeline/beer 15m',
    'watch.absent pipeline/rum 15m',
  ]);
});

test('what is new is watched from its first event on when time counts from the creation, and until it is gone', async () => {
  const { happens, ends, at, watch, judge, told } = await open();
  await happens('pipeline.definition.created', 'wine', { pipeline: 'wine' });
  await happens('pipeline.definition.created', 'beer', { pipeline: 'beer' });
  await happens('pipeline.definition.deleted', 'beer', { pipeline: 'beer' });
  await happens('pipeline.deployment.ready', 'gin');
  const [wanted, evaluator] = [watch({ ...each(['pipeline.run.succeeded']), arm_at: 'creation' }), judge()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 1 }); // wine, which never ran
  at(2);
  await happens('pipeline.definition.created', 'rum', { pipeline: 'rum' });
  at(3);
  await happens('pipeline.definition.created', 'gin', { pipeline: 'gin' });
  at(8);
  await ends('rum');
  await happens('pipeline.definition.deleted', 'gin', { pipeline: 'gin' });
  at(19);
  await ends('rum', 'failed');
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await told()).toEqual([
    'watch.closed pipeline/gin 8m',
    'watch.absent pipeline/wine 10m',
    'watch.absent pipeline/rum 18m',
  ]);
});

test('each deployment, each value of a field, and a filter that new ones must meet', async () => {
  const { happens, ends, at, watch, judge, told } = await open();
  const wanted = [
    watch({ ...each(['pipeline.deployment.ready']) }),
    watch({ ...each(['pipeline.training.succeeded'], { by: 'model_name' }) }),
    watch({ ...each(['pipeline.run.succeeded'], { filter: 'model_name == wine' }), arm_at: 'creation' }),
  ];
  const evaluator = judge();
  await evaluator.turn(wanted);
  await happens('pipeline.deployment.ready', 'red');
  await happens('pipeline.deployment.ready', 'white');
  await happens('pipeline.training.succeeded', 'wine-1', { model_name: 'wine' });
  await happens('pipeline.training.succeeded', 'x-1'); // of no model
  await happens('pipeline.definition.created', 'beer', { pipeline: 'beer' }); // of which the filter says nothing
  at(4);
  await happens('pipeline.deployment.deleted', 'red');
  await happens('pipeline.training.succeeded', 'wine-2', { model_name: 'wine' });
  at(15);
  await ends('beer');
  await evaluator.turn(wanted);
  await evaluator.turn(wanted);
  expect(await told()).toEqual([
    'watch.closed deployment/red 4m',
    'watch.absent deployment/white 10m',
    'watch.absent model_name/wine 14m',
  ]);
});

test('who judges for the first time finds what each one did last, and nothing from before it was gone', async () => {
  const { happens, at, watch, judge, told, events } = await open();
  await happens('pipeline.deployment.ready', 'red');
  await happens('pipeline.deployment.ready', 'white');
  await happens('pipeline.deployment.ready', 'rose');
  at(1);
  await happens('pipeline.deployment.deleted', 'white');
  await happens('pipeline.deployment.deleted', 'rose');
  at(3);
  await happens('pipeline.deployment.created', 'white');
  await happens('pipeline.deployment.ready', 'white');
  const [wanted, evaluator] = [watch(each(['pipeline.deployment.ready'])), judge()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 2 });
  // Settings that everything is looked up anew for: what was told stays told, whatever number it has.
  at(11);
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  const { spec } = wanted;
  const edited = {
    ...wanted,
    revision: 2,
    spec: { ...spec, scope: { ...spec.scope, types: ['pipeline.deployment.*'] } },
  };
  await events.publish({
    ...{
      key: 'k',
      type: 'pipeline.deployment.failed',
      source: '/api/v1/model',
      subject: 'deployment/blue',
      version: 1,
    },
    ...{ at: new Date(Date.parse(wanted.createdAt) + 11 * 60_000).toISOString(), data: '{"id":"blue"}' },
  });
  await evaluator.turn([edited]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 3 });
  at(14);
  await evaluator.turn([edited]);
  await evaluator.turn([edited]);
  expect(await told()).toEqual(['watch.absent deployment/red 10m', 'watch.absent deployment/white 13m']);
});
