import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { findBinary } from '../binaries.js';
import { ensureProcess } from '../service-process.js';
import { serviceSettings } from '../../platform/kinds/ports.js';
import type { Service } from '../service.js';

const PROJECT = 'slipway';

/** Object storage: an emulator of Google Cloud Storage over a folder, with the platform's bucket in it. */
export const storageService: Service = {
  name: 'storage',
  replacedBy: 'STORAGE_API_ENDPOINT',
  needs: [],
  runs: 'detached',
  async start(context, tools) {
    const { stateDir, ports, environment } = context;
    const bucket = environment.SLIPWAY_BUCKET || 'slipway';
    if (/^(s3|az):/i.test(bucket)) return `not needed: SLIPWAY_BUCKET is ${bucket}`;
    const host = `127.0.0.1:${ports.storage}`;
    const url = `http://${host}`;
    const folder = join(stateDir, 'storage');
    await mkdir(folder, { recursive: true });
    const how = await ensureProcess(
      {
        name: 'storage',
        command: await findBinary('fake-gcs-server', context, tools),
        args: [
          ...['-scheme', 'http', '-host', '127.0.0.1', '-port', String(ports.storage), '-log-level', 'warn'],
          ...['-backend', 'filesystem', '-filesystem-root', folder, '-public-host', host, '-external-url', url],
        ],
        ports: [ports.storage],
        probe: () => ensureBucket(url, bucket.replace(/^gs:\/\//i, '')),
      },
      { stateDir, signal: tools.signal },
    );
    Object.assign(context.found, serviceSettings(ports).STORAGE_API_ENDPOINT);
    return `${how} at ${url}`;
  },
};

async function ensureBucket(url: string, name: string): Promise<void> {
  const response = await fetch(`${url}/storage/v1/b?project=${PROJECT}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(2_000),
  });
  await response.body?.cancel();
  const CONFLICT = 409; // it is there already
  if (!response.ok && response.status !== CONFLICT) {
    throw new SlipwayError('unavailable', `bucket ${name} cannot be made: status ${response.status}`);
  }
}
