import { type Field, FIELD_LIMITS, type Fields, type ListItem } from './dataset-field.js';

/**
 * Lists, as sentences, the guarantees of a declaration that a new one withdraws. When the list is empty, every row that
 * fits the old declaration fits the new one.
 */
export function narrowings(before: Fields, after: Fields, path = ''): string[] {
  const lost = Object.entries(before).flatMap(([name, field]) => {
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    return now === undefined ? [`${path}${name} is gone`] : narrowing(field, now, `${path}${name}`);
  });
  const demanded = Object.entries(after).filter(([name, field]) => !Object.hasOwn(before, name) && isRequired(field));
  return [...lost, ...demanded.map(([name]) => `${path}${name} is new and required`)];
}

const isRequired = (field: Field): boolean => field.required;

function narrowing(before: Field, after: Field, path: string): string[] {
  const found = !before.required && after.required ? [`${path} is required now`] : [];
  if (before.type === 'object' && after.type === 'object') {
    return [...found, ...narrowings(before.fields, after.fields, `${path}.`)];
  }
  if (before.type === 'list' && after.type === 'list') return [...found, ...itemNarrowing(before.of, after.of, path)];
  return [...found, ...itemNarrowing(before, after, path)];
}

function itemNarrowing(before: Field | ListItem, after: Field | ListItem, path: string): string[] {
  // Values of an enum are texts, so a text that is long enough accepts every row.
  if (before.type === 'enum' && after.type === 'text' && after.max_length >= FIELD_LIMITS.enumValueLength) return [];
  if (before.type !== after.type) return [`${path} was ${before.type} and is ${after.type}`];
  if (before.type === 'text' && after.type === 'text' && after.max_length < before.max_length) {
    return [`${path} takes fewer characters`];
  }
  if (before.type === 'enum' && after.type === 'enum') {
    const gone = before.values.filter((value) => !after.values.includes(value));
    return gone.length > 0 ? [`${path} takes no ${gone.slice(0, 5).join(', ')} any more`] : [];
  }
  if (before.type === 'ref' && after.type === 'ref' && before.dataset !== after.dataset) {
    return [`${path} referred to ${before.dataset} and refers to ${after.dataset}`];
  }
  return [];
}
