import { buildSchema, introspectionFromSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { ReferenceState } from '../state.js';
import { MEDIA_TYPES } from './response.js';

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; " +
  "img-src data:; font-src data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves browsers that open `/v2/graphql` a self-contained page to write queries on, for development. */
export function graphiql(): Middleware<ReferenceState> {
  let page: Promise<string> | undefined;
  return async function graphiql(ctx, next) {
    const isBrowser = ctx.method === 'GET' && ctx.path === '/v2/graphql' && ctx.querystring === '';
    if (!isBrowser || ctx.accepts([...MEDIA_TYPES, 'text/html']) !== 'text/html') {
      await next();
      return;
    }
    page ??= render();
    ctx.set('Content-Security-Policy', POLICY);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = await page;
  };
}

const FIRST_QUERY = `# 1. Put your key between the quotes
#    under Headers, below.
# 2. Shift-Ctrl-R reads the schema;
#    the book at the top left shows it.
# 3. Ctrl-Enter runs this query.
{
  datasets {
    name
    version
  }
}
`;

/** The schema that the page shows until it has a key: the first query fits it. */
const SCHEMA_BEFORE_KEY = `
"Put your key under Headers, then press Shift-Ctrl-R: the schema of your datasets replaces this one."
type Query { datasets: [Dataset!]! }
type Dataset { name: String! version: Int! }
`;

/** A script that answers requests without a key in the page itself, so that it opens without an error of the server. */
function beforeKey(): string {
  const schema = introspectionFromSchema(buildSchema(SCHEMA_BEFORE_KEY));
  const hint = { message: 'Put your key between the quotes of x-api-key under Headers, then run the query again.' };
  return `
const send = self.fetch.bind(self);
self.fetch = async (address, options = {}) => {
  const headers = new Headers(options.headers);
  if (headers.get('x-api-key') || headers.get('authorization')) return send(address, options);
  const isSchema = String(options.body).includes('IntrospectionQuery');
  const reply = isSchema ? { data: ${JSON.stringify(schema)} } : { errors: [${JSON.stringify(hint)}] };
  return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } });
};`;
}

// Named in a variable, because its types would bring those of browsers into every file.
const PACKAGE: string = '@graphql-yoga/render-graphiql';
interface Package {
  renderGraphiQL: (options: Record<string, string | boolean>) => string;
}

/** It is large, and no part of an installation for production. */
async function render(): Promise<string> {
  const { renderGraphiQL } = (await import(PACKAGE)) as Package; // as its documentation has it
  const page = renderGraphiQL({
    title: 'Slipway reference data',
    endpoint: '/v2/graphql',
    headers: JSON.stringify({ 'x-api-key': '' }),
    shouldPersistHeaders: false, // a key stays out of the browser's storage
    defaultQuery: FIRST_QUERY,
  });
  return page.replace('<div id="root"></div>', (root) => `${root}<script>${beforeKey()}</script>`);
}
