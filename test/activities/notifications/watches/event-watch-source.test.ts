import { afterEach, expect, test } from 'vitest';
import { createEventWatchSource } from '../../../../activities/notifications/watches/event-watch-source.js';
import type { PlatformEvent } from '../../../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../../../notifications/kinds/stream-entry.js';
import { collections } from '../../../../platform/stores/collections.js';
import { createEventStream } from '../../../../platform/stores/event-stream.js';
import { createStreamLog } from '../../../../platform/stores/stream-log.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});

/** Opens a stream of pipeline events and evaluators of watches of them. */
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
    /** Publishes an event about a resource. */
    publish: (type: string, id: string, more: object = {}): Promise<void> => {
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
    openEvaluator: () =>
      scene.evaluator({
        name: 'pipeline',
        source: createEventWatchSource(events),
        log: {
          ...log,
          read: (position) => (away.log ? refuse() : events.read(position)),
          insert: (entry) => (away.log ? refuse() : log.insert(entry)),
        },
        now,
      }),
  };
}

test('a set without a successful run for too long emits one event, whatever other events there are', async () => {
  const { ends, at, ofRuns, openEvaluator, emitted, events } = await open();
  await ends('wine');
  const [wanted, evaluator] = [ofRuns(), openEvaluator()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ state: 'watching', armed: 1 });
  at(6);
  await ends('wine', 'failed');
  await ends('beer');
  at(11);
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 10m']);
  // A heartbeat entry proves the silence; it is not an event.
  const end = await events.end();
  expect(await events.read(end)).toMatchObject({ kind: 'heartbeat' });
  at(13);
  await ends('wine');
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 10m', 'watch.resumed set 13m']);
});

test('a gap that began and ended without an evaluator is emitted, and a second evaluator does not repeat it', async () => {
  const { ends, at, ofRuns, openEvaluator, emitted } = await open();
  await ends('wine');
  const [wanted, first] = [ofRuns(), openEvaluator()];
  await first.turn([wanted]);
  await first.save();
  at(15);
  await ends('wine');
  at(27);
  await ends('beer');
  const second = openEvaluator();
  await second.turn([wanted]);
  await first.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 10m', 'watch.resumed set 15m', 'watch.absent set 25m']);
});

test('an event that was appended twice counts at its first position', async () => {
  const { ends, at, ofRuns, openEvaluator, emitted, events, log } = await open();
  const event = await ends('wine');
  const [wanted, evaluator] = [ofRuns(), openEvaluator()];
  await evaluator.turn([wanted]);
  at(9);
  const position = (await events.end()) + 1;
  await log.insert({ kind: 'event', event, position, at: new Date().toISOString(), token: 'again' });
  expect(await events.read(position)).toMatchObject({ repeated: true });
  at(11);
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 10m']);
});

test('while the stream cannot be read no event is emitted, and the watch is unknown', async () => {
  const { ends, at, ofRuns, openEvaluator, emitted, away } = await open();
  await ends('wine');
  const [wanted, evaluator] = [ofRuns(), openEvaluator()];
  await evaluator.turn([wanted]);
  away.log = true;
  at(11);
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ state: 'unknown' });
  expect(await emitted()).toEqual([]);
  away.log = false;
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 10m']);
});

test('a pipeline that never ran emits an event only with arm_at "creation"', async () => {
  const { ends, at, ofRuns, openEvaluator, emitted } = await open();
  await ends('beer');
  const [waiting, counting] = [ofRuns(), ofRuns({ arm_at: 'creation' })];
  const evaluator = openEvaluator();
  await evaluator.turn([waiting, counting]);
  expect(evaluator.stateOf(waiting)).toMatchObject({ armed: 0 });
  at(11);
  await evaluator.turn([waiting, counting]);
  await evaluator.turn([waiting, counting]);
  expect(await emitted()).toEqual(['watch.absent set 10m']);
});

const EACH = { each: 'entity', closed_notice: true };
const each = (types: string[], more: object = {}) => ({
  ...EACH,
  scope: { stream: 'pipeline', types, ...more },
});

test('with one gap per pipeline only those that stop succeeding emit an event', async () => {
  const { ends, at, watch, openEvaluator, emitted } = await open();
  await ends('wine');
  await ends('beer');
  const [wanted, evaluator] = [watch(each(['pipeline.run.succeeded'])), openEvaluator()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 2 });
  at(5);
  await ends('beer');
  await ends('rum');
  await ends('wine', 'failed');
  at(12);
  await ends('gin', 'failed'); // gin has no successful run yet
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 3 });
  await evaluator.save();
  at(14);
  await ends('wine');
  at(16);
  // The next evaluator keeps the names that this one assigned.
  await ends('beer', 'failed');
  await openEvaluator().turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual([
    'watch.absent pipeline/wine 10m',
    'watch.resumed pipeline/wine 14m',
    'watch.absent pipeline/beer 15m',
    'watch.absent pipeline/rum 15m',
  ]);
});

test('with arm_at "creation" a new entity is watched from its first event until its deletion', async () => {
  const { publish, ends, at, watch, openEvaluator, emitted } = await open();
  await publish('pipeline.definition.created', 'wine', { pipeline: 'wine' });
  await publish('pipeline.definition.created', 'beer', { pipeline: 'beer' });
  await publish('pipeline.definition.deleted', 'beer', { pipeline: 'beer' });
  await publish('pipeline.deployment.ready', 'gin');
  const [wanted, evaluator] = [watch({ ...each(['pipeline.run.succeeded']), arm_at: 'creation' }), openEvaluator()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 1 }); // wine, which never ran
  at(2);
  await publish('pipeline.definition.created', 'rum', { pipeline: 'rum' });
  at(3);
  await publish('pipeline.definition.created', 'gin', { pipeline: 'gin' });
  at(8);
  await ends('rum');
  await publish('pipeline.definition.deleted', 'gin', { pipeline: 'gin' });
  at(19);
  await ends('rum', 'failed');
  await evaluator.turn([wanted]);
  await evaluator.turn([wanted]);
  expect(await emitted()).toEqual([
    'watch.closed pipeline/gin 8m',
    'watch.absent pipeline/wine 10m',
    'watch.absent pipeline/rum 18m',
  ]);
});

test('each deployment, each value of a field, and a filter that new ones must meet', async () => {
  const { publish, ends, at, watch, openEvaluator, emitted } = await open();
  const wanted = [
    watch({ ...each(['pipeline.deployment.ready']) }),
    watch({ ...each(['pipeline.training.succeeded'], { by: 'model_name' }) }),
    watch({ ...each(['pipeline.run.succeeded'], { filter: 'model_name == wine' }), arm_at: 'creation' }),
  ];
  const evaluator = openEvaluator();
  await evaluator.turn(wanted);
  await publish('pipeline.deployment.ready', 'red');
  await publish('pipeline.deployment.ready', 'white');
  await publish('pipeline.training.succeeded', 'wine-1', { model_name: 'wine' });
  await publish('pipeline.training.succeeded', 'x-1'); // without a model
  await publish('pipeline.definition.created', 'beer', { pipeline: 'beer' }); // does not match the filter
  at(4);
  await publish('pipeline.deployment.deleted', 'red');
  await publish('pipeline.training.succeeded', 'wine-2', { model_name: 'wine' });
  at(15);
  await ends('beer');
  await evaluator.turn(wanted);
  await evaluator.turn(wanted);
  expect(await emitted()).toEqual([
    'watch.closed deployment/red 4m',
    'watch.absent deployment/white 10m',
    'watch.absent model_name/wine 14m',
  ]);
});

test('a first evaluation finds the last event of each entity, and none from before its deletion', async () => {
  const { publish, at, watch, openEvaluator, emitted, events } = await open();
  await publish('pipeline.deployment.ready', 'red');
  await publish('pipeline.deployment.ready', 'white');
  await publish('pipeline.deployment.ready', 'rose');
  at(1);
  await publish('pipeline.deployment.deleted', 'white');
  await publish('pipeline.deployment.deleted', 'rose');
  at(3);
  await publish('pipeline.deployment.created', 'white');
  await publish('pipeline.deployment.ready', 'white');
  const [wanted, evaluator] = [watch(each(['pipeline.deployment.ready'])), openEvaluator()];
  await evaluator.turn([wanted]);
  expect(evaluator.stateOf(wanted)).toMatchObject({ armed: 2 });
  // Changed settings rebuild the state: emitted events are not repeated, whatever number their entity gets.
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
  expect(await emitted()).toEqual(['watch.absent deployment/red 10m', 'watch.absent deployment/white 13m']);
});
