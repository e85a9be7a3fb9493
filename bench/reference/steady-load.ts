import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface SteadyLoad {
  url: string;
  headers: Record<string, string>;
  paths: readonly string[];
  perSecond: number;
  seconds: number;
  connections: number;
}

/**
 * One request after the other at its time, whether or not those before were answered; what a request takes is counted
 * from the time when it was due, so a pause of the server or of this client shows in all that it held up.
 * @returns milliseconds, sorted: what requests took, and how late this client was to send them
 */
export async function steadyLoad({ url, headers, paths, perSecond, seconds, connections }: SteadyLoad) {
  const pool = new Pool(url, { connections });
  const times: number[] = [];
  const late: number[] = [];
  const running: Promise<void>[] = [];
  async function ask(path: string, dueAt: number): Promise<void> {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    times.push(performance.now() - dueAt);
  }
  // Connections that are opened in a burst wait for each other: here they are open before.
  const open = async () => (await pool.request({ method: 'GET', path: paths[0] ?? '/', headers })).body.dump();
  await Promise.all(Array.from({ length: connections }, open));
  const began = performance.now();
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const dueAt = began + (n * 1_000) / perSecond;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    late.push(performance.now() - dueAt);
    running.push(ask(paths[n % paths.length] ?? '/', dueAt));
  }
  await Promise.all(running);
  await pool.close();
  const rising = (one: number, other: number) => one - other;
  return { times: times.sort(rising), late: late.sort(rising) };
}
