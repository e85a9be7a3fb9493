import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { reuseContract } from './reuse.contract.js';

reuseContract(async () => createMemoryDatabase());
