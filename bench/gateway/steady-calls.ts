import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Latencies {
  calls: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

interface Steady {
  url: string;
  token: string;
  body: string;
  /** Calls a second, whether or not earlier ones were answered. */
  rate: number;
  seconds: number;
  /** The number of the first call; request ids are numbers. */
  from: number;
}

const TICK_MS = 2;
const CONNECTIONS = 64;

/** Sends calls at a constant rate; a latency counts from the moment at which its call was due. @throws when one has no 200 */
export async function callSteadily({ url, token, body, rate, seconds, from }: Steady): Promise<Latencies> {
  const { origin, pathname } = new URL(`${url}/api/model/invoke`);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const times: number[] = [];
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  const call = async (number: number, dueAt: number): Promise<void> => {
    const own = { ...headers, 'request-id': String(number) };
    const reply = await pool.request({ path: pathname, method: 'POST', headers: own, body });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) failures.push(`${reply.statusCode} ${text.slice(0, 200)}`);
    times.push(performance.now() - dueAt);
  };
  const began = performance.now();
  const total = Math.round(rate * seconds);
  for (let sent = 0; sent < total; await sleep(TICK_MS)) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * rate));
    for (; sent < due; sent += 1) {
      const answered = call(from + sent, began + (sent / rate) * 1_000)
        .catch((err: unknown) => void failures.push(String(err)))
        .finally(() => open.delete(answered));
      open.add(answered);
    }
  }
  await Promise.all(open);
  await pool.close();
  if (failures.length > 0) throw new Error(`${failures.length} calls failed, the first one: ${failures[0]}`);
  times.sort((one, other) => one - other);
  const at = (part: number): number => times[Math.floor(times.length * part)] ?? NaN;
  return { calls: total, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: times.at(-1) ?? NaN };
}
