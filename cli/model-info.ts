import { sampleOf } from '../client/index.js';
import { isRecord } from '../platform/kinds/record.js';
import { toTable } from './output/table.js';

/** A summary of a model's own OpenAPI document: name, columns and a call to try. */
export function modelSummary(info: unknown, deployment: string): string {
  const sample = sampleOf(info);
  const [request, reply] = ['Request', 'Response'].map((name) => at(info, 'components', 'schemas', name, 'properties'));
  const facts = [
    ['model', [at(info, 'info', 'title'), at(info, 'info', 'version')].filter(Boolean).join(' ')],
    ['address', textOf(at(info, 'servers', '0', 'url'))],
    ['columns', listOf(at(request, 'columns', 'items', 'enum'))],
    ['returns', listOf(at(reply, 'columns', 'items', 'enum'))],
    ['sample', sample === undefined ? '' : JSON.stringify(sample)],
    ['try', sample === undefined ? '' : `slipway invoke ${deployment} --sample`],
    ['document', `slipway info ${deployment} -o json`],
  ];
  return toTable(facts.filter(([, value]) => value !== ''));
}

/** The value at a path; undefined where the document has no such member. */
const at = (document: unknown, ...path: readonly string[]): unknown =>
  path.reduce(
    (node: unknown, key) =>
      isRecord(node) || Array.isArray(node) ? (node as Record<string, unknown>)[key] : undefined,
    document,
  );

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const listOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : '');
