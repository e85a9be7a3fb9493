import type { Planned } from './work.js';

/** An object of these fields, as JSON text. Put together at once: a text of many parts is walked through wherever it is used. */
export function joined(fields: readonly Planned[], textOf: (index: number) => string | undefined): string {
  const parts: string[] = [];
  for (let index = 0; index < fields.length; index += 1) {
    parts.push(index === 0 ? '{' : ',', fields[index]?.prefix ?? '', textOf(index) ?? 'null');
  }
  parts.push(fields.length === 0 ? '{}' : '}');
  return parts.join('');
}
