import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTestPortBase } from '../stack/port-base.js';

export interface CloudServer {
  /** `http://127.0.0.1:port` */
  url: string;
  stop(): Promise<void>;
}

/** Starts a program that speaks the interface of a cloud; it ends with the test process. */
export async function startServer(
  command: string,
  args: (port: number) => string[],
  env: Record<string, string> = {},
): Promise<CloudServer> {
  const port = await findTestPortBase();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(command, args(port), { env: { ...process.env, ...env }, stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  await once(child, 'spawn');
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
    await sleep(50);
  }
  return {
    url,
    async stop() {
      process.off('exit', end);
      const ended = once(child, 'exit');
      end();
      await ended;
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
