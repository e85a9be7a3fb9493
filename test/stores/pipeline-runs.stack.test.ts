import { pipelineRunsContract } from './pipeline-runs.contract.js';
import { openTestDatabase } from './test-database.js';

pipelineRunsContract(openTestDatabase);
