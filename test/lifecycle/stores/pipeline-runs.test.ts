import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { pipelineRunsContract } from './pipeline-runs.contract.js';

pipelineRunsContract(async () => createMemoryDatabase());
