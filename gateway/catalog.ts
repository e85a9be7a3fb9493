import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js'; // the package itself loads its bundles
import { SlipwayError } from '../platform/kinds/errors.js';
import { maySee } from './access.js';
import { catalogDocument } from './catalog-document.js';
import { exposed } from './edge-error.js';
import type { Routes } from './routes.js';
import type { VerifyCaller } from './caller.js';

export interface CatalogDeps {
  routes: Pick<Routes, 'all'>;
  verify: VerifyCaller;
  /** Where the OpenID issuer gives tokens for client credentials. */
  findTokenEndpoint: () => Promise<string | undefined>;
  log: Pick<Logger, 'error'>;
}

const OURS = fileURLToPath(new URL('catalog/', import.meta.url));
const SWAGGER = swaggerFolder();

// prettier-ignore
const FILES: Readonly<Record<string, { folder: string; type: string }>> = {
  'index.html':           { folder: OURS,    type: 'text/html; charset=utf-8' },
  'catalog.css':          { folder: OURS,    type: 'text/css; charset=utf-8' },
  'calls.js':             { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'log.js':               { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'models.js':            { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'pipeline-run.js':      { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'pipelines.js':         { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'resources.js':         { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'revisions.js':         { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'runs.js':              { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'section.js':           { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'table.js':             { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'catalog.js':           { folder: OURS,    type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css':       { folder: SWAGGER, type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { folder: SWAGGER, type: 'text/javascript; charset=utf-8' },
  'favicon-32x32.png':    { folder: SWAGGER, type: 'image/png' },
};

const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'";
const SECURITY = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Headers that clients act on. */
const EXTRA: Readonly<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Bearer' },
  405: { allow: 'GET, HEAD' },
};

/** The page is the same under both names: ours and the one that earlier clients link to. */
const ADDRESS = /^\/service-catalog(?:\/(?:swagger|catalog)(?:\/([^/?]*))?)?\/?(?:\?.*)?$/;

/** `/service-catalog/swagger/index.html`: all deployed models, with a working try-it. */
export function createCatalog({ routes, verify, findTokenEndpoint, log }: CatalogDeps) {
  /** The content of the page; the page itself holds no secret and is open to read. */
  async function document(req: IncomingMessage): Promise<string> {
    const caller = await verify(req.headers.authorization);
    return JSON.stringify(catalogDocument(routes.all().filter((endpoint) => maySee(caller, endpoint))));
  }

  /** The page's script also talks to the issuer. */
  async function pageSecurity() {
    const tokenEndpoint = await findTokenEndpoint();
    if (tokenEndpoint === undefined) return SECURITY;
    const policy = `${CONTENT_POLICY}; connect-src 'self' ${new URL(tokenEndpoint).origin}`;
    return { ...SECURITY, 'content-security-policy': policy };
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'GET' && req.method !== 'HEAD') throw new SlipwayError('method_not_allowed', 'only GET');
    const match = ADDRESS.exec(req.url ?? '');
    const name = match?.[1] ?? '';
    if (match !== null && name === '') {
      return void res.writeHead(302, { location: '/service-catalog/swagger/index.html' }).end();
    }
    if (name === 'data.json' || name === 'login.json') {
      const body =
        name === 'data.json' ? await document(req) : JSON.stringify({ tokenEndpoint: await findTokenEndpoint() });
      return void res
        .writeHead(200, { ...SECURITY, 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(body);
    }
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (file === undefined) throw new SlipwayError('not_found', '404 page not found');
    const body = await readFile(join(file.folder, name));
    const security = name === 'index.html' ? await pageSecurity() : SECURITY;
    res.writeHead(200, { ...security, 'content-type': file.type, 'cache-control': 'no-cache' }).end(body);
  }

  return async function catalog(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await serve(req, res);
    } catch (err) {
      if (!(err instanceof SlipwayError)) log.error({ err }, 'the catalog cannot be served');
      const { status, message } = exposed(err);
      const type = { 'content-type': 'application/json; charset=utf-8' };
      res.writeHead(status, { ...type, ...EXTRA[status] }).end(JSON.stringify({ message }));
    }
  };
}
