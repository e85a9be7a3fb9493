import { Command } from 'commander';
import { parseSettings, Settings } from '../config.js';
import type { CliContext } from './context.js';
import { toJson } from './output/format.js';

/** `slipway config`: every setting with its value and meaning; secrets stay hidden. @throws validation_failed */
export function configCommand({ terminal, env }: CliContext): Command {
  return new Command('config')
    .description('print every setting of the platform')
    .option('--json', 'as one JSON object of values')
    .action(({ json }: { json?: boolean }) => {
      const rows = readRows(env);
      terminal.out(json ? toJson(Object.fromEntries(rows.map(({ name, value }) => [name, value]))) : toTable(rows));
    });
}

interface Row {
  name: string;
  value: unknown;
  description: string;
}

function readRows(env: CliContext['env']): Row[] {
  const values: Record<string, unknown> = parseSettings(env);
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const { description = '', secret } = schema.meta() ?? {};
    const value = values[name];
    return { name, value: secret === true && isSet(value) ? '*****' : value, description };
  });
}

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function toTable(given: readonly Row[]): string {
  const rows = given.map(({ name, value, description }) => [name, toText(value), description] as const);
  const width = (column: 0 | 1): number => Math.min(48, Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map(([name, value, description]) => `${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${description}`)
    .join('\n');
}

function toText(value: unknown): string {
  if (value === undefined) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
