import type { PlannedField } from './planned-field.js';

/** Writes an object of these fields as JSON text. */
export function objectText(fields: readonly PlannedField[], textOf: (index: number) => string | undefined): string {
  let text = '';
  for (let index = 0; index < fields.length; index += 1) {
    text += `${index === 0 ? '' : ','}${fields[index]?.prefix ?? ''}${textOf(index) ?? 'null'}`;
  }
  return `{${text}}`;
}

/** Writes the same as one flat string, for a text that is used often: a concatenated string is walked at each use. */
export function flatObjectText(fields: readonly PlannedField[], textOf: (index: number) => string | undefined): string {
  const parts: string[] = [];
  for (let index = 0; index < fields.length; index += 1) {
    parts.push(index === 0 ? '{' : ',', fields[index]?.prefix ?? '', textOf(index) ?? 'null');
  }
  parts.push(fields.length === 0 ? '{}' : '}');
  return parts.join('');
}
