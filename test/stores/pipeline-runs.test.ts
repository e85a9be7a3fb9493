import { createMemoryDatabase } from '../../stores/memory-database.js';
import { pipelineRunsContract } from './pipeline-runs.contract.js';

pipelineRunsContract(async () => createMemoryDatabase());
