import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker } from '../platform/engines/docker/connect.js';
import type { Environment } from './service.js';

const STANDARD_SOCKET = 'unix:///var/run/docker.sock';

/** The engine that is there already: the one DOCKER_HOST names, or a Docker that answers at its usual place. */
export async function findForeignEngine({ DOCKER_HOST }: Environment): Promise<string | undefined> {
  if (DOCKER_HOST) return DOCKER_HOST;
  const silence = sleep(2_000, false, { ref: false });
  const answer = connectDocker(STANDARD_SOCKET)
    .ping()
    .then(() => true)
    .catch(() => false);
  return (await Promise.race([answer, silence])) ? STANDARD_SOCKET : undefined;
}
