import { Command } from 'commander';
import { parseSettings, Settings } from '../config.js';
import { SlipwayError } from '../platform/kinds/errors.js';

/** `slipway config`: every setting with its value and meaning; secrets stay hidden. */
export function configCommand(): Command {
  return new Command('config')
    .description('print every setting of the platform')
    .option('--json', 'as one JSON object of values')
    .action(({ json }: { json?: boolean }) => {
      try {
        console.log(json ? toJson() : toTable());
      } catch (err) {
        if (!(err instanceof SlipwayError)) throw err;
        console.error(`Error: ${err.message}`);
        process.exitCode = 2;
      }
    });
}

interface Row {
  name: string;
  value: unknown;
  description: string;
}

function readRows(): Row[] {
  const values: Record<string, unknown> = parseSettings(process.env);
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const { description = '', secret } = schema.meta() ?? {};
    const value = values[name];
    return { name, value: secret === true && isSet(value) ? '*****' : value, description };
  });
}

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function toJson(): string {
  return JSON.stringify(Object.fromEntries(readRows().map(({ name, value }) => [name, value])), null, 2);
}

function toTable(): string {
  const rows = readRows().map(({ name, value, description }) => [name, toText(value), description] as const);
  const width = (column: 0 | 1): number => Math.min(48, Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map(([name, value, description]) => `${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${description}`)
    .join('\n');
}

function toText(value: unknown): string {
  if (value === undefined) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
