import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Effect } from '../../../../bench/chaos/oracle.js';
import type { Fault } from '../../../../bench/chaos/faults.js';
import type { Plan } from '../../../../bench/chaos/plan.js';
import { openChaosReceiver } from '../../../../bench/chaos/receiver.js';
import type { SubscriptionStatus } from '../../../../notifications/kinds/subscription.js';
import type { Database } from '../../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { declare, openProcess } from '../../../reference/stores/dataset-process.js';
import { bundleProgram } from '../../../../workers/compose/program.js';
import { openScene } from '../../notifications/notification-scene.js';
import { lend } from './lent-database.js';
import type { Decided } from './mortal-api.js';
import type { MortalTask } from './mortal-drain.js';
import { isOfWriter, type Point } from './points.js';

const MORTAL_DRAIN = await bundleProgram(new URL('mortal-drain.ts', import.meta.url));
const MORTAL_API = await bundleProgram(new URL('mortal-api.ts', import.meta.url));

/** Behind the deadline of every attempt, and behind the time that its owner has to record its end. */
const LATER_MS = 30_000;

export type Level = 'L0' | 'L1' | 'L2' | 'hold';
const MANNERS = { L0: 'plain', L1: 'dedupes', L2: 'receipts', hold: 'plain' } as const;
const FIRST_FAULT: Partial<Record<Point, Fault>> = {
  'at the receiver, behind its effect': 'commit_silence',
  'during the question': 'commit_reset',
};

/** A word that comes once. */
function createFlag() {
  let raise = (): void => {};
  const raised = new Promise<void>((resolve) => (raise = resolve));
  return { raise, raised };
}

export interface StageOptions {
  spec?: object;
  status?: Partial<SubscriptionStatus>;
  /** Which request of the probe is the one that the process does not outlive. */
  probeRequest?: number;
  plan?: Plan;
  /** Changes of entities 1, 2, ... */
  changes?: number;
  /** They are of an import, which announces them together. */
  isImport?: boolean;
}

/** One subscription with its receiver, whose requests wait at the points that are the receiver's. */
export async function openStage(database: Database, level: Level, point: Point, options: StageOptions = {}) {
  const effects: Effect[] = [];
  const reached = createFlag();
  const release = createFlag();
  const fault = FIRST_FAULT[point];
  const faults: Plan = { notice: (_, nth) => (nth === 1 ? fault : undefined) };
  let isFirst = true;
  let asked = 0;
  const receiver = await openChaosReceiver({
    manners: MANNERS[level],
    plan: options.plan ?? faults,
    oracle: {
      note: async (effect) => {
        effects.push(effect);
        if (point === 'at the receiver, behind its effect') reached.raise();
      },
    },
    onRequest: async (kind, id) => {
      if (id.startsWith('prb_')) asked += 1;
      const waits =
        (point === 'during the probe' && asked === options.probeRequest) ||
        (point === 'at the receiver, before its effect' && kind === 'notice') ||
        (point === 'during the question' && kind === 'receipt');
      if (!waits || !isFirst) return;
      isFirst = false;
      reached.raise();
      await release.raised;
    },
  });
  const scene = openScene(database);
  receiver.trust(scene.secret);
  receiver.begin();
  const types = isOfWriter(point) ? [`dataset.${scene.dataset}.created`] : [`dataset.${scene.dataset}.*`];
  const onAmbiguous = level === 'hold' ? 'hold' : 'resend';
  await scene.subscribe(
    {
      ...{ url: receiver.url, receipt_url: receiver.receiptUrl, types, on_ambiguous: onAmbiguous },
      ...{ schedule: [0, 0, 0, 0], rate: { per_second: 1_000, concurrency: 1 } },
      ...options.spec,
    },
    { receipts: level === 'L2' ? 'tombstone' : 'none', ...options.status },
  );
  if (isOfWriter(point)) await openProcess(database, scene.dataset).follower.append(() => declare(1));
  else {
    const changes = Array.from({ length: options.changes ?? 1 }, (_, n) => scene.change(String(n + 1), 'Open'));
    if (options.isImport) await scene.append({ kind: 'hold', import: 'imp_1' });
    await scene.write(...changes);
    if (options.isImport) await scene.append({ kind: 'release', import: 'imp_1' });
  }

  return {
    ...scene,
    ...{ level, receiver, effects, reached },
    /** Lets another sender go on, when the time of the deliveries under way is over. */
    goOn: (laterMs = LATER_MS) => scene.drain({ now: () => new Date(Date.now() + laterMs) }),
    /** Lets requests that were held up at the receiver run to their end. */
    async letGo(): Promise<void> {
      release.raise();
      receiver.calm();
      await receiver.settle();
    },
    /** Each attempt of a notice: how it ended, and what the receiver said of it. */
    attempts: async (sequence = 1): Promise<string[]> => {
      const facts = await scene.ledger.read({ subscription: scene.id, sequence });
      return facts.attempts.map(({ end, late, receipts }) =>
        [
          end?.outcome ?? 'open',
          ...(late ? [`late ${late.outcome}`] : []),
          ...receipts.map(({ answer }) => answer),
        ].join(', '),
      );
    },
    /** Requests of probes. */
    asked: (): number => asked,
    posts: (): number => [...receiver.books.values()].reduce((sum, { posts }) => sum + posts, 0),
    /** As written down. */
    counts: async () => (await scene.progress.get(scene.id))?.counts,
    state: async (): Promise<string> => {
      const { counts } = (await scene.progress.get(scene.id)) ?? {};
      return Object.entries(counts ?? {})
        .filter(([, count]) => count > 0)
        .map(([name]) => name)
        .join(' ');
    },
    close: async () => {
      release.raise();
      await receiver.close();
      await scene.close();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Starts a process that stops at the point in every one of these. */
export function startMortal(database: Database, point: Point, stages: readonly Stage[], attemptMs?: number) {
  const task: MortalTask = {
    point,
    scenes: stages.map(({ dataset, id, secret }) => ({ dataset, id, secret })),
    ...(attemptMs !== undefined && { attemptMs }),
  };
  return startProgram(MORTAL_DRAIN, task, database, stages);
}

/** Starts a process that serves the API, is asked for a decision about a notice and stops behind its first write. */
export const startDeciding = (database: Database, stage: Stage, verb: Decided['verb'], sequence: number) =>
  startProgram(MORTAL_API, { id: stage.id, verb, sequence } satisfies Decided, database, [stage]);

function startProgram(program: string, task: object, database: Database, stages: readonly Stage[]) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = fork(program, [JSON.stringify(task)], { execArgv: [], env });
  lend(child, database);
  child.on('message', ({ reached }: { reached?: string }) => {
    stages.find(({ id }) => id === reached)?.reached.raise();
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, ended };
}

/** Waits until it has come to the point everywhere, and kills it there. */
export async function killAt({ child, ended }: { child: ChildProcess; ended: Promise<unknown> }, stages: Stage[]) {
  const failed = ended.then(() => Promise.reject(new Error('the process ended before it came to its point')));
  await Promise.race([Promise.all(stages.map(({ reached }) => reached.raised)), failed]);
  child.kill('SIGKILL');
  failed.catch(() => {});
  await ended;
}

/** A stage for each level, all of them abandoned at the same point by one process. */
export async function crashAt(point: Point, levels: readonly Level[], options: StageOptions = {}) {
  const database = createMemoryDatabase();
  const stages = await Promise.all(levels.map((level) => openStage(database, level, point, options)));
  await killAt(startMortal(database, point, stages), stages);
  return { database, stages: new Map(stages.map((stage) => [stage.level, stage])) };
}
