import { describe } from 'vitest';
import { createKeptIndexes } from '../../../platform/stores/kept-indexes.js';
import { createQueriedIndex } from '../../../platform/stores/queried-index.js';
import { resourceIndexContract } from './resource-index.contract.js';
import { openTestDatabase } from './test-database.js';

describe('the database answers', () => {
  resourceIndexContract(async () => {
    const database = await openTestDatabase();
    return { database, index: createQueriedIndex({ database, kind: 'ModelTraining' }), close: () => database.close() };
  });
});

describe.runIf(process.env.SLIPWAY_TEST_SCANS !== 'no')('the process answers', () => {
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
