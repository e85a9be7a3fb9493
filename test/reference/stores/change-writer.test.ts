import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { changeWriterContract } from './change-writer.contract.js';

changeWriterContract(async () => createMemoryDatabase());
