import { Router } from '@koa/router';
import { z } from 'zod';
import type { AuditFilter, AuditStore } from '../../platform/stores/audit.js';
import { badQuery, parseSize, queryLists } from '../http/query.js';
import type { ApiState, Step } from '../http/state.js';

const FILTERS = ['kind', 'entityId', 'user', 'action', 'from', 'to'] as const;
const Time = z.iso.datetime({ offset: true });

/** Newest first, page by page: `after` is what the `Link` of the page before says. */
export function auditRoutes({ audit }: { audit: AuditStore }) {
  const list: Step = async (ctx) => {
    const { size = [], after = [], ...given } = queryLists(ctx);
    const unknown = Object.keys(given).find((name) => !(FILTERS as readonly string[]).includes(name));
    if (unknown !== undefined) throw badQuery(`cannot find ${unknown} url parameter`);
    const filter: AuditFilter = {};
    for (const name of FILTERS) {
      const [value, ...more] = given[name] ?? [];
      if (more.length > 0) throw badQuery(`the ${name} URL parameter must be only one`);
      if (value !== undefined && value !== '*')
        filter[name] = name === 'from' || name === 'to' ? time(name, value) : value;
    }
    const limit = parseSize(size);
    const { records, next } = await audit.list(filter, { limit, after: cursor(after) });
    if (next !== undefined) {
      const query = new URLSearchParams(ctx.querystring);
      query.set('after', next);
      ctx.set('Link', `<?${query.toString()}>; rel="next"`);
    }
    ctx.body = records;
  };
  return new Router<ApiState>({ prefix: '/api/v1/audit' }).get('/', list);
}

function cursor([value, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) throw badQuery('the after URL parameter must be only one');
  if (value !== undefined && !/^\d{1,12}$/.test(value))
    throw badQuery('the after URL parameter must be the id of a record');
  return value;
}

function time(name: string, value: string): string {
  if (!Time.safeParse(value).success)
    throw badQuery(`the ${name} URL parameter must be a time such as 2026-01-31T12:00:00Z`);
  return value;
}
