import { runFailed } from '../../platform/kinds/reasons.js';
import { isRecord } from '../../platform/kinds/record.js';

const PLACE = [
  ...['paths', '/api/model/invoke', 'post', 'requestBody', 'content', 'application/json', 'schema'],
  ...['properties', 'columns', 'items', 'enum'],
];

/** The input columns in the OpenAPI document of a model, if it describes any. */
function columnsOf(info: Readonly<Record<string, unknown>>): unknown[] | undefined {
  const found = PLACE.reduce((value: unknown, name) => (isRecord(value) ? value[name] : undefined), info);
  return Array.isArray(found) ? found : undefined;
}

/**
 * Compares what callers of two revisions have to send. Calls that a model refuses do not count against it, so a rollout
 * would promote a candidate that refuses them all.
 * @throws run_failed, reason ProbeFailed
 */
export function requireSameColumns(stable: Record<string, unknown>, candidate: Record<string, unknown>): void {
  const [known, wanted] = [columnsOf(stable), columnsOf(candidate)];
  if (known === undefined || wanted === undefined) return;
  const added = wanted.filter((name) => !known.includes(name));
  const removed = known.filter((name) => !wanted.includes(name));
  if (added.length + removed.length === 0) return;
  const changes = [
    ...(added.length > 0 ? [`it wants ${shown(added)}`] : []),
    ...(removed.length > 0 ? [`it does not have ${shown(removed)}`] : []),
  ];
  const message = `the model has other input columns than the one that serves: ${changes.join(', and ')}; set rollout.allowSchemaChange when its callers send them`;
  throw runFailed({ reason: 'ProbeFailed', message });
}

const MOST_NAMES = 10;
/** Names come from the image of a user, and may be long. */
const MOST_LETTERS = 60;

function shown(names: readonly unknown[]): string {
  const quoted = names.slice(0, MOST_NAMES).map((name) => `"${String(name).slice(0, MOST_LETTERS)}"`);
  return names.length > MOST_NAMES ? `${quoted.join(', ')} and ${names.length - MOST_NAMES} more` : quoted.join(', ');
}
