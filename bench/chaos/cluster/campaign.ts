import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseSettings } from '../../../config.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { openEngine } from '../../../workers/compose/engine.js';
import { followContainers } from './container-log.js';
import type { PlannedFault } from './fault-plan.js';
import { type Load } from './load.js';
import { startMembers } from './members.js';
import { buildModels } from './model-image.js';
import { startNotices } from './notices.js';
import { createPatientClient } from './patient-client.js';
import { startRuns } from './runs.js';
import { startServing } from './serving.js';
import { strikeAll } from './strike.js';
import type { ClusterCampaign } from './table.js';

export interface ClusterOptions {
  /** The settings of services that no fault concerns. */
  environment: NodeJS.ProcessEnv;
  /** An empty folder; what the processes leave stays in it. */
  folder: string;
  /** The first of ten free ports. */
  portBase: number;
  seconds: number;
  plan: readonly PlannedFault[];
  /** How long everything may take to come to its end after the last fault. */
  settleMs: number;
  report: (line: string) => void;
  /** Ends the campaign before its time. */
  signal?: AbortSignal;
}

/**
 * Gives two APIs, three workers and two gateways on one database work to do while the faults of a plan occur, waits until
 * everything that was accepted has come to its end, and compares.
 */
export async function runClusterCampaign(options: ClusterOptions): Promise<ClusterCampaign> {
  const { folder, portBase, seconds, plan, settleMs, report } = options;
  const closing: (() => Promise<unknown> | void)[] = [];
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(options.signal ? [options.signal] : [])]);
  setMaxListeners(0, signal); // every client, load and fault waits with it
  const environment = {
    SLIPWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    SLIPWAY_SWEEP_SECONDS: '5',
    SLIPWAY_GUARD_SECONDS: '0', // here an answer of a former generation is a fault
    ...options.environment,
    NODE_OPTIONS: '',
    SLIPWAY_STATE_DIR: folder,
    SLIPWAY_LOCAL_REPOSITORIES: folder,
    SLIPWAY_WEBHOOK_PRIVATE: 'true',
  };
  const settings = parseSettings(environment);
  try {
    const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
    closing.push(() => database.close());
    const engine = await openEngine(settings, database);
    closing.push(async () => {
      for (const handle of await engine.find({})) await engine.remove(handle);
    });
    const containers = await followContainers(settings.DOCKER_HOST);
    closing.push(() => containers.close());
    const models = await buildModels(engine, settings.SLIPWAY_BUILDER_IMAGE);
    closing.push(() => models.remove().catch(() => {}));
    const members = await startMembers({ environment, folder, portBase, report });
    closing.push(() => members.stop());
    const { gateways } = members;
    const client = createPatientClient({ gateways, issuer: settings.OIDC_ISSUER, signal });
    closing.push(() => ended.abort());

    const open = async <Figures>(starting: Promise<Load<Figures>> | Load<Figures>): Promise<Load<Figures>> => {
      const load = await starting;
      closing.push(() => load.close());
      return load;
    };
    const oracleFile = join(folder, 'effects.ndjson');
    const notices = await open(startNotices({ client, database, oracleFile, perSecond: 3, report }));
    const runs = await open(startRuns({ client, containers, folder, everyMs: 10_000, report }));
    const endpoints = createEndpoints({ database });
    const images = models.tags;
    const serving = await open(
      startServing({
        ...{ client, gateways, images, containers, endpoints, engine, updated: 2, invokeMs: 500, report },
      }),
    );
    const loads: Load<unknown>[] = [notices, runs, serving];
    const began = Date.now();
    const say = (line: string): void => report(`${Math.round((Date.now() - began) / 1_000)} s: ${line}`);
    const striking = strikeAll({ members, plan, signal, report: say });
    striking.catch(() => {});
    await sleep(seconds * 1_000, undefined, { signal });
    const faults = await striking;
    say(`the load ends: ${loads.map((load) => load.progress()).join(', ')}`);
    const deadline = Date.now() + settleMs;
    await Promise.all(loads.map((load) => load.end()));
    for (const load of loads) {
      while (!(await load.isSettled()) && Date.now() < deadline) await sleep(1_000, undefined, { signal });
    }
    say(Date.now() < deadline ? 'everything has come to its end' : 'not everything has come to its end');
    return {
      faults,
      seconds: Math.round((Date.now() - began) / 1_000),
      notices: await notices.figures(),
      runs: await runs.figures(),
      serving: await serving.figures(),
    };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
