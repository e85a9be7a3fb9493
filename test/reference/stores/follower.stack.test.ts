import { followerContract } from './follower.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

followerContract(openTestDatabase);
