import { describe } from 'vitest';
import { ensureIndexes } from '../../../platform/stores/indexes.js';
import { createKeptIndexes } from '../../../platform/stores/kept-indexes.js';
import { createQueriedIndex } from '../../../platform/stores/queried-index.js';
import { resourceIndexContract } from './resource-index.contract.js';
import { openTestDatabase } from './test-database.js';

const probe = await openTestDatabase();
const scans = await probe.scans();
await probe.close();

describe('the database answers', () => {
  resourceIndexContract(async () => {
    const database = await openTestDatabase();
    await ensureIndexes(database);
    return { database, index: createQueriedIndex({ database, kind: 'ModelTraining' }), close: () => database.close() };
  });
});

// Changes are in the log only where the server needs this index.
describe.runIf(scans)('the process answers', () => {
  resourceIndexContract(async () => {
    const database = await openTestDatabase();
    const indexes = createKeptIndexes({ database });
    await indexes.start();
    const close = async () => {
      await indexes.stop();
      await database.close();
    };
    return { database, index: indexes.of('ModelTraining'), close };
  });
});
