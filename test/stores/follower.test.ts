import { createMemoryDatabase } from '../../stores/memory-database.js';
import { followerContract } from './follower.contract.js';

followerContract(async () => createMemoryDatabase());
