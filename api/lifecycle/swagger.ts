import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Router } from '@koa/router';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js'; // the package itself loads its bundles
import { createDocument } from '../../openapi/lifecycle/document.js';
import { PAGE_SCRIPT, PAGE_STYLE, SWAGGER_FILES, SWAGGER_PAGES } from '../../openapi/page.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Issuer, tokenEndpoint } from '../../platform/auth/issuer.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';

/** Nothing but our own files; `try it out` talks to this server only, and the login to the issuer. */
function contentPolicy(tokenEndpoint: string | undefined): string {
  const connect = tokenEndpoint === undefined ? "'self'" : `'self' ${new URL(tokenEndpoint).origin}`;
  return `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src ${connect}; frame-ancestors 'none'`;
}

export function swaggerRoutes({ version, issuer }: { version: string; issuer: Pick<Issuer, 'endpoints'> }) {
  // An issuer that is down takes the login away for a while, not the page.
  const findTokenEndpoint = () => tokenEndpoint(issuer);

  const documents = new Map<string | undefined, object>();
  const documentFor = (tokenEndpoint: string | undefined): object => {
    const document = documents.get(tokenEndpoint) ?? createDocument({ version, tokenEndpoint });
    documents.set(tokenEndpoint, document);
    return document;
  };

  const redirect: Step = async (ctx) => {
    ctx.redirect('/swagger/index.html');
  };

  const page =
    (name: string): Step =>
    async (ctx) => {
      ctx.set('Content-Security-Policy', contentPolicy(await findTokenEndpoint()));
      send(ctx, 'text/html; charset=utf-8', SWAGGER_PAGES[name]);
    };

  const definition: Step = async (ctx) => {
    ctx.body = documentFor(await findTokenEndpoint());
  };

  const file: Step = async (ctx) => {
    const name = ctx.params?.file ?? '';
    const type = Object.hasOwn(SWAGGER_FILES, name) ? SWAGGER_FILES[name] : undefined;
    if (type === undefined) throw new SlipwayError('not_found', '404 page not found');
    ctx.set('Cache-Control', 'public, max-age=3600');
    send(ctx, type, createReadStream(join(swaggerFolder(), name)));
  };

  return new Router<ApiState>()
    .get('/', redirect)
    .get('/swagger', redirect)
    .get('/swagger/index.html', page('index.html'))
    .get('/swagger/reference.html', page('reference.html'))
    .get('/swagger/page.js', async (ctx) => send(ctx, 'text/javascript; charset=utf-8', PAGE_SCRIPT))
    .get('/swagger/page.css', async (ctx) => send(ctx, 'text/css; charset=utf-8', PAGE_STYLE))
    .get('/swagger/data.json', definition)
    .get('/swagger/:file', file);
}

function send(ctx: ApiContext, type: string, body: unknown): void {
  ctx.type = type;
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.body = body;
}
