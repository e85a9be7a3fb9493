import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createQueriedIndex } from '../../../platform/stores/queried-index.js';
import { resourceIndexContract } from './resource-index.contract.js';

resourceIndexContract(async () => {
  const database = createMemoryDatabase();
  return { database, index: createQueriedIndex({ database, kind: 'ModelTraining' }), close: () => database.close() };
});
