import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createReferenceApi } from '../../api/reference/app.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createApiKeys } from '../../platform/stores/api-keys.js';
import { createAudit } from '../../platform/stores/audit.js';
import { createDatasets } from '../../reference/stores/datasets.js';
import { createImports } from '../../reference/stores/imports.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { HEAD_LIMITS } from '../../platform/kinds/request-head.js';
import { createReservedIds } from '../../platform/stores/reserved-ids.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { reportCpu } from './cpu-report.js';
import { reportPauses } from './pauses.js';
import { writePlaceLog } from './place-log.js';
import { quietNotifying, quietWatching } from '../quiet-notifying.js';

// The service with so many places, read from their log; tells what a row costs in memory.
const count = Number(process.argv[2]);
const database = createMemoryDatabase();
const removeLog = await writePlaceLog(database, count);
const began = performance.now();
const datasets = createDatasets({ database, indexed: true });
const keys = createApiKeys({ database });
await Promise.all([datasets.start(), keys.start()]);
while (datasets.all()[0]?.isReady !== true) await sleep(50);
const readySeconds = (performance.now() - began) / 1_000;

const [dataset] = datasets.all();
const built = dataset?.index?.built;
if (dataset === undefined || built?.lookup === undefined || dataset.replica.rows.live() !== count) {
  throw new Error('the places are not there');
}
const bytesPerRow = {
  rows: dataset.replica.rows.sizeBytes() / count,
  lookup: built.lookup.index.bytes / count,
  columns: built.columns.sizeBytes() / count,
};
await removeLog();
globalThis.gc?.();
const { secret } = await keys.issue({ name: 'bench', scopes: ['data:read:*'] }, 'bench');
const service = createReferenceApi({
  notifying: quietNotifying(database),
  watching: quietWatching(database),
  audit: createAudit({ database }),
  tokens: createSecretBox({ key: randomBytes(32).toString('base64') }),
  datasets,
  keys,
  reservedIds: createReservedIds({ database }),
  imports: createImports({ database, objects: createMemoryObjects() }),
  importRuns: { start: async () => {}, cancel: async () => {} },
  verifyBearer: async () => {
    throw new SlipwayError('auth.invalid', 'the bench has keys alone');
  },
  logger: pino({ level: 'warn' }),
  ratePerSecond: 10_000_000,
});
const server = createServer(HEAD_LIMITS, service);
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.send?.({ url, secret, readySeconds, bytesPerRow });
});
reportCpu();
reportPauses();
process.on('disconnect', () => process.exit());
