import { z } from 'zod';
import { Settings } from '../../config.js';
import { code, markdownTable } from './markdown.js';

/** Every setting with its default and meaning, from the schema that parses them. */
export function settingsTable(): string {
  const defaults: Record<string, unknown> = Settings.parse({});
  const rows = Object.entries(Settings.shape).map(([name, schema]) => {
    const { description = '' } = schema.meta() ?? {};
    return [code(name), defaultText(defaults[name]), description + choicesOf(schema)];
  });
  return markdownTable(['setting', 'default', 'meaning'], rows);
}

function defaultText(value: unknown): string {
  if (value === undefined || value === '') return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : code(value.join(','));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '{}' ? '' : code(text);
}

/** The words that an enumeration accepts. */
function choicesOf(schema: z.ZodType): string {
  const { enum: choices } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return choices === undefined ? '' : ` (${choices.map((choice) => code(String(choice))).join(', ')})`;
}
