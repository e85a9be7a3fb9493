import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Middleware } from 'koa';
import type { ReferenceState } from '../reference/state.js';

const PATH = /^\/v2\/subscriptions\/[^/]+\/deliveries\/?$/;

interface LedgerPage {
  html: string;
  policy: string;
}

/** Serves browsers a page that lists the deliveries of a subscription; the page asks for a key and holds no data itself. */
export function ledgerPage(): Middleware<ReferenceState> {
  let page: Promise<LedgerPage> | undefined;
  return async function ledgerPage(ctx, next) {
    const isPage = ctx.method === 'GET' && PATH.test(ctx.path);
    if (!isPage || ctx.accepts(['application/json', 'application/x-ndjson', 'text/html']) !== 'text/html') {
      await next();
      return;
    }
    page ??= render();
    const { html, policy } = await page;
    ctx.set('Content-Security-Policy', policy);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Vary', 'Accept');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = html;
  };
}

/** Renders the page as one file, whose policy allows only its own script and style by their hashes. */
async function render(): Promise<LedgerPage> {
  const read = (name: string) => readFile(new URL(`ledger/${name}`, import.meta.url), 'utf8');
  const [html, style, script] = await Promise.all([read('ledger.html'), read('ledger.css'), read('ledger.js')]);
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return {
    html: html
      .replace(/<style>[^<]*<\/style>/, () => `<style>${style}</style>`)
      .replace(/(<script type="module">)[^<]*(<\/script>)/, (_, open: string, end: string) => `${open}${script}${end}`),
    policy:
      `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; ` +
      `connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  };
}
