import type { Entity } from '../../examples/wine/demo/client.js';
import type { TestPlatform } from './platform.js';
import { until } from './until.js';

export interface RunEntity extends Entity {
  generation: number;
  status: Entity['status'] & {
    exitCode?: number;
    podName?: string;
    transitions?: { state: string; at: string }[];
    artifacts?: { artifactName: string; commitID: string; runId: string }[];
  };
}

export async function read({ admin }: TestPlatform, path: string, id: string): Promise<RunEntity> {
  return (await admin.call<RunEntity>('GET', `/api/v1${path}/${id}`)).body;
}

/** Waits for one of the states. */
export async function untilState(
  platform: TestPlatform,
  path: string,
  id: string,
  states: readonly string[],
  seconds = 300,
): Promise<RunEntity> {
  return until(
    `${id} to be ${states.join(' or ')}`,
    async () => {
      // While the database or the API is away there is nothing to see.
      const entity = await read(platform, path, id).catch(() => undefined);
      return entity && states.includes(entity.status.state) && entity;
    },
    { seconds },
  );
}

/** Waits until the log of a run holds `text`. */
export async function untilLog({ admin }: TestPlatform, path: string, id: string, text: string): Promise<string> {
  return until(
    `"${text}" in the log of ${id}`,
    async () => {
      const log = await admin.text(`/api/v1${path}/${id}/log`).catch(() => '');
      return log.includes(text) && log;
    },
    { seconds: 300 },
  );
}
