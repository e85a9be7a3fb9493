import { createMemoryDatabase } from '../../stores/memory-database.js';
import { eventStreamContract } from './event-stream.contract.js';

eventStreamContract(async () => createMemoryDatabase());
