import type { Planned } from './work.js';

/** An object of these fields, as JSON text. */
export function joined(fields: readonly Planned[], textOf: (index: number) => string | undefined): string {
  let text = '';
  for (let index = 0; index < fields.length; index += 1) {
    text += `${index === 0 ? '' : ','}${fields[index]?.prefix ?? ''}${textOf(index) ?? 'null'}`;
  }
  return `{${text}}`;
}
