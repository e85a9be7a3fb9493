import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { eventStreamContract } from './event-stream.contract.js';

eventStreamContract(async () => createMemoryDatabase());
