import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CloudServer, startServer } from './server.js';
import { KEYS } from './moto.js';

/** MinIO over an empty folder. The program is not built here: MINIO names it. */
export async function startMinio(program = process.env.MINIO ?? 'minio'): Promise<CloudServer> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-minio-'));
  const env = { MINIO_ROOT_USER: KEYS.accessKeyId, MINIO_ROOT_PASSWORD: KEYS.secretAccessKey, MINIO_BROWSER: 'off' };
  const server = await startServer(program, (port) => ['server', '--address', `127.0.0.1:${port}`, folder], env);
  return {
    ...server,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
