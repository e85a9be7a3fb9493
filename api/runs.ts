export type { Runs } from '../resources/runs.js';
