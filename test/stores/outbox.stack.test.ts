import { outboxContract } from './outbox.contract.js';
import { openTestDatabase } from './test-database.js';

outboxContract(openTestDatabase);
