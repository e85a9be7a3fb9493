import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { logsContract } from './logs.contract.js';

logsContract(async () => createMemoryObjects());
