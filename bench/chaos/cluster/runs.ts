import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import type { ContainerLog, ContainerStart } from './container-log.js';
import type { Load } from './load.js';
import { accepted, type PatientClient } from './patient-client.js';

export interface RunFigures {
  /** Accepted starts. */
  started: number;
  /** Without an end. */
  lost: number;
  /** Programs that were started more often than once. */
  twice: number;
  /** Ends other than the one of the program. */
  otherwise: number;
}

/** Ends at once with a code of its own, so that no environment and no artifact is needed. */
const PROGRAM = 'import sys; print("ran once"); sys.exit(3)\n';
const PROJECT = 'name: chaos\nentry_points:\n  main:\n    command: "python train.py"\n';
const EXIT_CODE = 3;

interface Training {
  status: { state: string; reason?: string; message?: string; exitCode?: number };
}

interface Options {
  client: PatientClient;
  containers: ContainerLog;
  folder: string;
  everyMs: number;
  report: (line: string) => void;
}

/** Starts a training now and then. The engine tells how often the program of each was started. */
export async function startRuns({ client, containers, folder, everyMs, report }: Options): Promise<Load<RunFigures>> {
  const name = `chaos-${Date.now()}`;
  const connection = { id: name, spec: { type: 'git', uri: await createRepository(folder) } };
  accepted(await client.call('POST', '/api/v1/connection', connection), 'the connection');
  const open: string[] = [];
  const ends = new Map<string, Training['status']>();
  const ending = new AbortController();

  const starting = (async () => {
    for (let n = 1; !ending.signal.aborted; n += 1) {
      const id = `${name}-${n}`;
      const { status } = await client.call('POST', '/api/v1/model/training', { id, spec: specOf(name) });
      // A repeat of a start whose answer was lost finds the training there.
      if (status !== 201 && status !== 409) throw new Error(`training ${id} was answered ${status}`);
      open.push(id);
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  starting.catch(() => {}); // `end` tells of it

  /** Starts of the program of a training, without those of its checks. */
  const startsOf = (id: string): readonly ContainerStart[] =>
    containers.all().filter((each) => each.kind === 'training' && each.id === id && each.part === undefined);

  return {
    async end() {
      ending.abort();
      await starting;
    },
    async isSettled() {
      for (const id of open.filter((each) => !ends.has(each))) {
        const { body } = await client.call<Training>('GET', `/api/v1/model/training/${id}`);
        if (!['succeeded', 'failed'].includes(body.status?.state)) return false;
        ends.set(id, body.status);
      }
      return true;
    },
    progress: () => `${open.length} runs`,
    async figures() {
      for (const id of open) {
        const end = ends.get(id);
        if (end === undefined) report(`run ${id} has no end`);
        else if (!isOwnEnd(end)) report(`run ${id} ended otherwise: ${JSON.stringify(end)}`);
        const times = startsOf(id).map(({ at }) => new Date(at).toISOString());
        if (times.length !== 1) report(`the program of run ${id} was started at ${times.join(' and ') || 'no time'}`);
      }
      return {
        started: open.length,
        lost: open.filter((id) => !ends.has(id)).length,
        twice: open.filter((id) => startsOf(id).length > 1).length,
        otherwise: [...ends.values()].filter((end) => !isOwnEnd(end)).length,
      };
    },
    async close() {
      ending.abort();
      await starting.catch(() => {});
    },
  };
}

const isOwnEnd = ({ reason, exitCode }: Training['status']): boolean =>
  reason === 'ToolchainFailed' && exitCode === EXIT_CODE;

const specOf = (connection: string): object => ({
  model: { name: 'chaos', version: '1' },
  toolchain: 'ml-toolchain',
  algorithmSource: { vcs: { connection } },
});

/** @returns the folder of a git repository with the program in one commit */
async function createRepository(folder: string): Promise<string> {
  const repository = join(folder, 'project');
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, 'MLproject'), PROJECT);
  await writeFile(join(repository, 'train.py'), PROGRAM);
  const git = (...args: string[]) => execa('git', args, { cwd: repository });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=chaos', '-c', 'user.email=chaos@example.org', 'commit', '--quiet', '-m', 'a program');
  return repository;
}
