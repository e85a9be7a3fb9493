import { followerContract } from './follower.contract.js';
import { openTestDatabase } from './test-database.js';

followerContract(openTestDatabase);
