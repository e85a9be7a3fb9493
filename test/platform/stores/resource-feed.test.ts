import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { feedContract } from './resource-feed.contract.js';

feedContract(async () => createMemoryDatabase());
