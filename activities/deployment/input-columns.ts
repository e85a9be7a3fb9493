import { runFailed } from '../../platform/kinds/reasons.js';
import { isRecord } from '../../platform/kinds/record.js';

const PLACE = [
  ...['paths', '/api/model/invoke', 'post', 'requestBody', 'content', 'application/json', 'schema'],
  ...['properties', 'columns', 'items', 'enum'],
];

/** The input columns in the OpenAPI document of a model, if it describes any. */
function columnsOf(info: Readonly<Record<string, unknown>>): Set<string> | undefined {
  const found = PLACE.reduce((value: unknown, name) => (isRecord(value) ? value[name] : undefined), info);
  const isNames = Array.isArray(found) && found.every((name) => typeof name === 'string');
  return isNames ? new Set(found) : undefined;
}

/**
 * Compares what callers of two revisions have to send. Calls that a model refuses do not count against it, so a rollout
 * would promote a candidate that refuses them all.
 * @throws run_failed, reason ProbeFailed
 */
export function requireSameColumns(stable: Record<string, unknown>, candidate: Record<string, unknown>): void {
  const [known, wanted] = [columnsOf(stable), columnsOf(candidate)];
  if (known === undefined || wanted === undefined) return;
  const added = [...wanted].filter((name) => !known.has(name));
  const removed = [...known].filter((name) => !wanted.has(name));
  if (added.length + removed.length === 0) return;
  const changes = [
    ...(added.length > 0 ? [`it wants ${shown(added)}`] : []),
    ...(removed.length > 0 ? [`it does not have ${shown(removed)}`] : []),
  ];
  const problem = `the model has other input columns than the one that serves: ${changes.join(', and ')}`;
  const remedy = 'set rollout.allowSchemaChange when its callers send them';
  throw runFailed({ reason: 'ProbeFailed', message: `${problem}; ${remedy}` });
}

const MOST_NAMES = 10;
/** Names come from the image of a user, and may be long. */
const MOST_LETTERS = 60;

function shown(names: readonly string[]): string {
  const quoted = names.slice(0, MOST_NAMES).map((name) => `"${name.slice(0, MOST_LETTERS)}"`);
  return names.length > MOST_NAMES ? `${quoted.join(', ')} and ${names.length - MOST_NAMES} more` : quoted.join(', ');
}
