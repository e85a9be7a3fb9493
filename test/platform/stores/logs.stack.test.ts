import { logsContract } from './logs.contract.js';
import { openTestBucket } from './test-bucket.js';

logsContract(openTestBucket);
