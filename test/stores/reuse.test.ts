import { createMemoryDatabase } from '../../stores/memory-database.js';
import { reuseContract } from './reuse.contract.js';

reuseContract(async () => createMemoryDatabase());
