import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { outboxContract } from './outbox.contract.js';

outboxContract(async () => createMemoryDatabase());
