import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from './platform.js';

interface Answer {
  atMs: number;
  /** 0: none came. */
  status: number;
  /** The revision that answered. */
  generation: number;
}

/** Calls a deployment steadily, and notes who answered when. */
export function startSteadyCalls({ admin, baseUrl }: TestPlatform, id: string) {
  const answers: Answer[] = [];
  let isOn = true;
  const call = async (): Promise<Answer> => {
    const request = { method: 'POST', headers: admin.headers, body: '{"data":[[1]]}' };
    const reply = await fetch(`${baseUrl}/model/${id}/api/model/invoke`, request).catch(() => undefined);
    await reply?.text();
    const generation = Number(reply?.headers.get('x-slipway-revision') ?? 0);
    return { atMs: Date.now(), status: reply?.status ?? 0, generation };
  };
  const callers = Array.from({ length: 4 }, async () => {
    while (isOn) {
      answers.push(await call());
      await sleep(20);
    }
  });
  return {
    answers,
    failed: (): Answer[] => answers.filter(({ status }) => status !== 200),
    of: (generation: number): Answer[] => answers.filter((each) => each.generation === generation),
    async stop(): Promise<void> {
      isOn = false;
      await Promise.all(callers);
    },
  };
}
