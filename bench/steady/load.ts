import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from '../../test/e2e/platform.js';

export interface LoadFigures {
  calls: number;
  /** Calls that a broken candidate answered. */
  harmed: number;
  /** Other calls and feedback without an answer of 200, with what came instead. */
  failed: string[];
  /** Request ids of the calls that had an answer of a model, and of the feedback that was taken. */
  answered: Set<string>;
  registered: Set<string>;
}

interface LoadOptions {
  platform: TestPlatform;
  url: string;
  callers: number;
  /** Whether this revision of a deployment answers nothing but errors. */
  isBroken: (deployment: string, generation: string) => boolean;
}

const BODY = '{"columns":["x"],"data":[[1]]}';
const MODEL = { 'x-model-name': 'stub', 'x-model-version': '1' };
/** Between two calls of a caller. */
const PAUSE_MS = 20;

/** Calls a route steadily by several callers, each call with its feedback, until it is stopped. */
export function startLoad({ platform, url, callers, isBroken }: LoadOptions) {
  const figures: LoadFigures = { calls: 0, harmed: 0, failed: [], answered: new Set(), registered: new Set() };
  const { headers } = platform.admin;
  let isOn = true;

  async function post(address: string, requestId: string, more: Record<string, string>) {
    const request = { method: 'POST', headers: { ...headers, 'request-id': requestId, ...more }, body: BODY };
    try {
      const reply = await fetch(address, request);
      return { status: reply.status, text: await reply.text(), headers: reply.headers };
    } catch (err) {
      return { status: 0, text: String(err), headers: new Headers() };
    }
  }
  const fail = (what: string, { status, text }: { status: number; text: string }): void =>
    void figures.failed.push(`${new Date().toISOString()} ${what}: ${status} ${text.slice(0, 200)}`);

  async function call(requestId: string): Promise<void> {
    figures.calls += 1;
    const reply = await post(url, requestId, {});
    const [deployment, revision] = ['x-slipway-deployment', 'x-slipway-revision'].map((name) =>
      reply.headers.get(name),
    );
    if (isBroken(deployment ?? '', revision ?? '')) figures.harmed += 1;
    else if (reply.status !== 200) return fail(`call to ${deployment} ${revision}`, reply);
    figures.answered.add(requestId);
    const feedback = await post(`${platform.baseUrl}/feedback/model/`, requestId, MODEL);
    if (feedback.status === 200) figures.registered.add(requestId);
    else fail('feedback', feedback);
  }

  const running = Array.from({ length: callers }, async (_, caller) => {
    for (let n = 0; isOn; n += 1) {
      await call(`steady-${caller}-${n}`);
      await sleep(PAUSE_MS);
    }
  });
  return {
    figures,
    async stop(): Promise<LoadFigures> {
      isOn = false;
      await Promise.all(running);
      return figures;
    },
  };
}
