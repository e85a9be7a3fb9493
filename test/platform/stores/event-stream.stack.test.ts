import { eventStreamContract } from './event-stream.contract.js';
import { openTestDatabase } from './test-database.js';

eventStreamContract(openTestDatabase);
