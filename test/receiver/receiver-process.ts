import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundleProgram } from '../../workers/compose/program.js';
import { createSender, SECRET } from './sender.js';

const PROGRAM = await bundleProgram(new URL('mortal-receiver.ts', import.meta.url));

export interface Place {
  kind: 'sql' | 'mark first' | 'effect first';
  /** Folder, or address of the server. */
  place: string;
  name?: string;
}
export type Moment = 'before the effect' | 'after the effect' | 'before the answer' | 'never';

/** Starts a receiver as a process of its own, which dies at this moment. */
export async function startReceiver({ kind, place, name = '' }: Place, moment: Moment) {
  const child = spawn(process.execPath, [PROGRAM, kind, place, name, SECRET, moment], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const port = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error('the receiver did not start'))),
  ]);
  const send = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return {
    ...createSender({ send }),
    count: async () => Number(await (await send('/count')).text()),
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
