import { pipelineRunsContract } from './pipeline-runs.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

pipelineRunsContract(openTestDatabase);
