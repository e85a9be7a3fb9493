import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createReferenceApi } from '../../api/reference/app.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createApiKeys } from '../../platform/stores/api-keys.js';
import { createAudit } from '../../platform/stores/audit.js';
import { createDatasets } from '../../reference/stores/datasets.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import { createRowWrites, type RowWrites } from '../../reference/stores/row-writes.js';
import { createImports } from '../../reference/stores/imports.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createReservedIds } from '../../platform/stores/reserved-ids.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { locations, positions, skills } from './data.js';
import { createPeer } from './yoga.js';
import { quietNotifying, quietWatching } from '../quiet-notifying.js';

/** One side of the bench. */
const [side = 'slipway'] = process.argv.slice(2);

const name = { type: 'text', required: true };
const SPECS = {
  skills: { fields: { name, level: { type: 'integer' } } },
  locations: { fields: { name, country: { type: 'text' } } },
  positions: {
    fields: {
      title: name,
      staffing_status: { type: 'enum', values: ['Open', 'Filled', 'On_Hold', 'Closed'], required: true },
      customer: { type: 'object', fields: { id: { type: 'id', required: true } } },
      location: { type: 'ref', dataset: 'locations' },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      day_rate: { type: 'decimal' },
      starts_on: { type: 'date' },
    },
  },
};

async function createService() {
  const database = createMemoryDatabase();
  const datasets = createDatasets({ database, indexed: true });
  const keys = createApiKeys({ database });
  await Promise.all([datasets.start(), keys.start()]);
  const declarations = createDeclarations({ datasets });
  const writes = createRowWrites({ datasets });
  for (const [dataset, rows] of Object.entries({ skills, locations, positions })) {
    const spec = DatasetSpec.parse(SPECS[dataset as keyof typeof SPECS]); // the same three names
    await declarations.declare({ name: dataset, spec, actor: 'bench', force: false });
    for (let first = 0; first < rows.length; first += 1_000) {
      const block = rows.slice(first, first + 1_000);
      await Promise.all(block.map((row) => writes.put({ dataset, id: BigInt(row.id), actor: 'bench' }, row)));
    }
  }
  if (side === 'written') writeForEver(writes);
  const { secret } = await keys.issue({ name: 'bench', scopes: ['data:read:*'] }, 'bench');
  const verifyBearer = async (): Promise<never> => {
    throw new SlipwayError('auth.invalid', 'the bench has keys alone');
  };
  const handle = createReferenceApi({
    notifying: quietNotifying(database),
    watching: quietWatching(database),
    audit: createAudit({ database }),
    tokens: createSecretBox({ key: randomBytes(32).toString('base64') }),
    imports: createImports({ database, objects: createMemoryObjects() }),
    importRuns: { start: async () => {}, cancel: async () => {} },
    datasets,
    keys,
    reservedIds: createReservedIds({ database }),
    verifyBearer,
    logger: pino({ level: 'warn' }),
    ratePerSecond: 10_000_000,
  });
  return { handle, secret };
}

/**
 * Ten times a second a skill, which positions all over refer to, and a position: what was read of the one is out of date
 * at once, and every search of the other has to be made again.
 */
function writeForEver(writes: RowWrites): void {
  let turn = 0;
  setInterval(() => {
    turn += 1;
    const skill = skills[turn % skills.length];
    const position = positions[(turn * 7_919) % positions.length];
    Promise.all([
      writes.put({ dataset: 'skills', id: BigInt(skill?.id ?? 0), actor: 'bench' }, { ...skill, level: BigInt(turn) }),
      writes.put(
        { dataset: 'positions', id: BigInt(position?.id ?? 0), actor: 'bench' },
        { ...position, title: `${position?.title}, ${turn}` },
      ),
    ]).catch((err: unknown) => {
      console.error(err);
      process.exit(1);
    });
  }, 100).unref();
}

const { handle, secret } = side === 'yoga' ? { handle: createPeer(), secret: '' } : await createService();
const server = createServer(handle);
process.on('SIGINT', () => process.exit(0));
process.on('message', () => process.send?.(process.cpuUsage()));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret });
});
