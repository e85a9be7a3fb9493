import { createMemoryDatabase } from '../../stores/memory-database.js';
import { outboxContract } from './outbox.contract.js';

outboxContract(async () => createMemoryDatabase());
