import { z } from 'zod';
import { integer, list, object } from '../../platform/kinds/lenient.js';

/** The values that records of a deployment leave out, and the days for which they are kept. */
export const RecordRules = object({
  /** JSONPaths of values that are replaced in bodies and feedback before anything is written. */
  redact: list(z.string()),
  /** Days after which records are removed; 0: as `SLIPWAY_RECORD_DAYS` says. */
  retentionDays: integer(0),
});
export type RecordRules = z.infer<typeof RecordRules>;

export const LONGEST_RETENTION_DAYS = 3_650;
