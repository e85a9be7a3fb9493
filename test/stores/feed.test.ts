import { createMemoryDatabase } from '../../stores/memory-database.js';
import { feedContract } from './feed.contract.js';

feedContract(async () => createMemoryDatabase());
