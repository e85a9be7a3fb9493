import { createMemoryObjects } from '../../stores/memory-objects.js';
import { objectsContract } from './objects.contract.js';

objectsContract(async () => createMemoryObjects());
