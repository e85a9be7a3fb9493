import { parseSettings, Settings } from '../config.js';
import { choosePorts, processSettings, serviceSettings } from '../platform/kinds/ports.js';
import type { CliContext } from './context.js';
import { toJson } from './output/format.js';

/** The settings of an environment as a table, or as JSON. @throws validation_failed */
export function showSettings(env: CliContext['env'], { json }: { json: boolean | undefined }): string {
  const rows = readRows(env);
  return json ? toJson(Object.fromEntries(rows.map(({ name, value }) => [name, value]))) : toTable(rows);
}

interface Row {
  name: string;
  value: unknown;
  description: string;
}

function readRows(env: CliContext['env']): Row[] {
  const { SLIPWAY_PORT_BASE: base } = parseSettings(env);
  const values: Record<string, unknown> = parseSettings({ ...settingsOfBase(base, env), ...withoutEmpty(env) });
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const { description = '', secret } = schema.meta() ?? {};
    const value = values[name];
    return { name, value: secret === true && isSet(value) ? '*****' : value, description };
  });
}

/** The settings that a start of the platform takes from the base, unless the environment says another thing. */
function settingsOfBase(base: number | undefined, env: CliContext['env']): Record<string, string> {
  if (base === undefined) return {};
  const ports = choosePorts(base, { temporal: 0, temporalUi: 0 });
  const services = Object.entries(serviceSettings(ports)).flatMap(([replacedBy, settings]) =>
    env[replacedBy] ? [] : Object.entries(settings),
  );
  return { ...processSettings(ports), ...Object.fromEntries(services) };
}

const withoutEmpty = (env: CliContext['env']) => Object.fromEntries(Object.entries(env).filter(([, value]) => value));

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
