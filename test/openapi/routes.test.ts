import { expect, test } from 'vitest';
import { createRouter } from '../../api/app.js';
import { createDocument } from '../../openapi/lifecycle/document.js';
import { createReferenceDocument } from '../../openapi/reference/document.js';
import { startTestReference } from '../api/reference/test-reference.js';
import { startTestApi } from '../api/test-api.js';

interface Stacked {
  stack: readonly { methods: readonly string[]; path: string | RegExp }[];
}
/** Lists the routes of a router, with path parameters as in an OpenAPI document; a HEAD belongs to its GET. */
const routesOf = ({ stack }: Stacked): string[] =>
  stack.flatMap(({ methods, path }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
  );

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];
const operationsOf = ({ paths = {} }: { paths?: object }): string[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item as object)
      .filter((key) => METHODS.includes(key))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

test('every route of the management API is in its document, and nothing is there without a route', async () => {
  const api = await startTestApi();
  const routes = routesOf(createRouter({ ...api, now: () => new Date(), newId: () => 'id' }));
  await api.stop();
  const documented = operationsOf(createDocument({ version: '0' }));
  const isPage = (route: string): boolean => /^GET \/(swagger.*)?$/.test(route);
  expect(documented.sort()).toEqual([...new Set(routes)].filter((route) => !isPage(route)).sort());
});

test('every route of reference data is in its document, and nothing is there without a route', async () => {
  const api = await startTestReference();
  const routes = routesOf(api.router);
  await api.stop();
  expect(operationsOf(createReferenceDocument('0', [])).sort()).toEqual(routes.sort());
});
