import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { SlipwayError } from '../platform/kinds/errors.js';

const FILE = new URL('../temporal-dev.yaml', import.meta.url);
const AttributeType = z.enum(['Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList']);
const port = z.int().min(1).max(65_535);

const TemporalDeclaration = z.strictObject({
  address: z
    .string()
    .regex(/^127\.0\.0\.1:\d+$/, 'must be a port of 127.0.0.1')
    .transform((address) => ({ port: Number(address.split(':')[1]) })),
  uiPort: port,
  namespace: z.string().min(1),
  retentionDays: z.int().positive(),
  databaseFile: z.string().min(1),
  searchAttributes: z.record(z.string(), AttributeType),
  dynamicConfiguration: z.record(z.string(), z.json()),
  dynamicConfigurationOfNewDatabases: z.record(z.string(), z.json()),
  sqlitePragmas: z.record(z.string(), z.string()),
});
export type TemporalDeclaration = z.infer<typeof TemporalDeclaration>;

/** The declaration of the embedded Temporal server in `temporal-dev.yaml`. */
export function readTemporalDeclaration(): TemporalDeclaration {
  return parseTemporalDeclaration(readFileSync(FILE, 'utf8'));
}

export function parseTemporalDeclaration(text: string): TemporalDeclaration {
  const result = TemporalDeclaration.safeParse(parse(text));
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new SlipwayError('validation_failed', `temporal-dev.yaml is not valid: ${problems.join('; ')}`);
}
