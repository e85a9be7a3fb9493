import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { runCli, type Surroundings } from '../../cli/run.js';
import { startTestApi } from '../api/test-api.js';

export interface Ended {
  exitCode: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

interface RunOptions extends Partial<Pick<Surroundings, 'fetch' | 'now' | 'pause' | 'patienceMs'>> {
  env?: Record<string, string>;
  /** Text, or a stream such as that of a terminal. */
  stdin?: string | Readable;
  signal?: AbortSignal;
  /** Called with all output as it is written. */
  onText?: (text: string) => void;
}

/** Repeats come soon, as nothing has to be spared here. */
const brieflyPaused: Surroundings['pause'] = (ms, signal) => sleep(Math.min(ms, 10), undefined, { signal });

/** Command lines in this process, without a terminal, with a folder of their own. */
export async function createSlipwayRunner(env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-cli-'));

  async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const { stdin = '', signal = new AbortController().signal, onText, now, pause = brieflyPaused } = options;
    const texts = { out: '', err: '' };
    const capture = (name: 'out' | 'err') =>
      new PassThrough().on('data', (chunk: Buffer) => {
        texts[name] += String(chunk);
        onText?.(String(chunk));
      });
    const exitCode = await runCli(args, {
      stdin: (typeof stdin === 'string' ? Readable.from([stdin]) : stdin) as NodeJS.ReadStream,
      stdout: capture('out'),
      stderr: capture('err'),
      env: { HOME: folder, ...env, ...options.env },
      fetch: options.fetch ?? fetch,
      signal,
      ...(now && { now }),
      pause,
      // A busy machine may need longer than a person waits.
      patienceMs: options.patienceMs ?? 120_000,
      version: '0.0.0-test',
    });
    return { exitCode, ...texts };
  }

  return {
    folder,
    run,
    /** Writes a manifest of these lines. @returns its path */
    async file(text: string, name = `${randomUUID()}.yaml`): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
export type SlipwayRunner = Awaited<ReturnType<typeof createSlipwayRunner>>;

/** An API of its own for a file of tests, with command lines of an administrator; both end with the file. */
export async function startSlipway() {
  const api = await startTestApi();
  const slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) });
  afterAll(async () => {
    await api.stop();
    await slipway.remove();
  });
  return { api, slipway };
}
