import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { createReferenceApi } from '../../api/reference/app.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createApiKeys } from '../../platform/stores/api-keys.js';
import { createAudit } from '../../platform/stores/audit.js';
import { createDatasets } from '../../reference/stores/datasets.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import { createRowWrites } from '../../reference/stores/row-writes.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createImports } from '../../reference/stores/imports.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createReservedIds } from '../../platform/stores/reserved-ids.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import type { Content } from '../../reference/rows/row.js';
import { reportCpu } from './cpu-report.js';
import { quietNotifying, quietWatching } from '../quiet-notifying.js';

/** One side of the bench: the service, or a bare Koa route that answers the same bytes, with headers that it is given. */
const [rowsText = '10000', side = 'slipway', headersText = '[]'] = process.argv.slice(2);
const ROWS = Number(rowsText);

const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true },
    country: { type: 'text' },
    country_name: { type: 'text' },
    population: { type: 'integer' },
    latitude: { type: 'decimal' },
    longitude: { type: 'decimal' },
  },
});
const rowOf = (n: number) => ({
  name: `Place ${n}`,
  country: 'BR',
  country_name: 'Brazil',
  population: BigInt(n * 37),
  latitude: -23.5475 + n / 10_000,
  longitude: -46.63611,
});

const place = { type: 'ref', dataset: 'locations', on_delete: 'keep' };
const referringSpec = DatasetSpec.parse({
  fields: { title: { type: 'text', required: true }, location: place, others: { type: 'list', of: place } },
});
const referringRowOf = (n: number) => ({
  title: `Position ${n} with a name that is about as long as a row of the other dataset is`,
  location: { id: BigInt(n) },
  others: [1, 2, 3].map((step) => ({ id: BigInt(((n + step) % ROWS) + 1) })),
});

const database = createMemoryDatabase();
/** All sides have the same bytes. */
const now = () => new Date('2026-11-22T12:00:00Z');
const datasets = createDatasets({ database, indexed: true, now });
const keys = createApiKeys({ database });
await Promise.all([datasets.start(), keys.start()]);
const declarations = createDeclarations({ datasets });
const writes = createRowWrites({ datasets });
async function fill(name: string, declared: DatasetSpec, content: (n: number) => Content): Promise<void> {
  await declarations.declare({ name, spec: declared, actor: 'bench', force: false });
  for (let first = 1; first <= ROWS; first += 1_000) {
    const ids = Array.from({ length: 1_000 }, (_, n) => first + n);
    await Promise.all(ids.map((n) => writes.put({ dataset: name, id: BigInt(n), actor: 'bench' }, content(n))));
  }
}
await fill('locations', spec, rowOf);
if (side === 'slipway') await fill('positions', referringSpec, referringRowOf);
const { secret } = await keys.issue({ name: 'bench', scopes: ['data:read:*'] }, 'bench');

function bare(): Koa {
  const { rows } = datasets.get('locations').dataset.replica;
  const headers: [string, string][] = JSON.parse(headersText);
  const app = new Koa();
  app.use(async (ctx) => {
    for (const [name, value] of headers) ctx.set(name, value);
    const id = ctx.path.slice('/v2/locations/'.length);
    ctx.type = 'application/json';
    ctx.body = rows.bytes(rows.find(BigInt(id)));
  });
  return app;
}

const verifyBearer = async (): Promise<never> => {
  throw new SlipwayError('auth.invalid', 'the bench has keys alone');
};
const logger = pino({ level: 'warn' });
const reservedIds = createReservedIds({ database });
const imports = createImports({ database, objects: createMemoryObjects() });
const importRuns = { start: async () => {}, cancel: async () => {} };
const tokens = createSecretBox({ key: randomBytes(32).toString('base64') });
const service = createReferenceApi({
  notifying: quietNotifying(database),
  watching: quietWatching(database),
  audit: createAudit({ database }),
  tokens,
  imports,
  importRuns,
  datasets,
  keys,
  reservedIds,
  verifyBearer,
  logger,
  ratePerSecond: 10_000_000,
});
const bareRoute = bare().callback();
const server = createServer(side === 'bare' ? (req, res) => void bareRoute(req, res) : service);
reportCpu();
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret });
});
