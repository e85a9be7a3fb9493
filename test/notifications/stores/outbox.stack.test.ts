import { outboxContract } from './outbox.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

outboxContract(openTestDatabase);
