import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { objectsContract } from './objects.contract.js';

objectsContract(async () => createMemoryObjects());
