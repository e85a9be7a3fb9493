import { objectsContract } from './objects.contract.js';
import { openTestBucket } from './test-bucket.js';

objectsContract(openTestBucket);
