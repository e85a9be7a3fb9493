import { badQuery, queryLists } from '../http/query.js';
import type { ApiContext } from '../http/state.js';

export interface LogQuery {
  /** Stay until the log ends. */
  follow: boolean;
  /** Only so many of the lines that exist already. */
  tail?: number;
  /** Say so every 8 s when nothing happens. */
  heartbeat: boolean;
  /** Only this replica of a deployment. */
  replica?: string;
  /** Only this generation of a deployment; a follow ends with it. */
  generation?: number;
  /** The replicas that crashed or were replaced, not the present ones. */
  previous: boolean;
}

// The values that the clients' own library takes for a boolean.
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** @throws bad_query */
export function parseLogQuery(ctx: ApiContext): LogQuery {
  const { follow, tail, heartbeat, replica, generation, previous } = queryLists(ctx);
  return {
    follow: toBoolean(follow?.[0], false),
    heartbeat: toBoolean(heartbeat?.[0], true),
    previous: toBoolean(previous?.[0], false),
    ...(tail?.[0] !== undefined && { tail: toCount('tail', tail[0]) }),
    ...(generation?.[0] !== undefined && { generation: toCount('generation', generation[0]) }),
    ...(replica?.[0] !== undefined && { replica: toReplica(replica[0]) }),
  };
}

function toBoolean(text: string | undefined, byDefault: boolean): boolean {
  if (text === undefined) return byDefault;
  if (TRUE.includes(text)) return true;
  if (FALSE.includes(text)) return false;
  throw badQuery(`Convert ${text} to bool`);
}

function toCount(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw badQuery(`the ${name} URL parameter must be a whole number`);
  return Number(text);
}

function toReplica(text: string): string {
  if (!/^r(0|[1-9]\d{0,2})$/.test(text)) throw badQuery('the replica URL parameter must name a replica, such as r0');
  return text;
}
