import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { followerContract } from './follower.contract.js';

followerContract(async () => createMemoryDatabase());
