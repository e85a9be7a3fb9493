import { createReferenceDocument } from '../../openapi/reference/document.js';
import { covers } from '../../platform/kinds/scope.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Identify } from './credentials.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceStep } from './state.js';

export interface OpenApiOptions {
  datasets: Datasets;
  identify: Identify;
  version: string;
  /** Where the OpenID issuer gives tokens for client credentials. */
  findTokenEndpoint?: () => Promise<string | undefined>;
}

/** `GET /v2/openapi.json`: with a credential for the datasets that it may read, without one for any dataset. */
export const createOpenApi =
  ({ datasets, identify, version, findTokenEndpoint }: OpenApiOptions): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    const { 'x-api-key': key, authorization } = ctx.headers;
    const isKnown = key !== undefined || authorization !== undefined;
    const { scopes } = isKnown ? await identify(ctx.req.headers) : { scopes: [] };
    const declared = datasets.all().flatMap(({ name, replica: { declaration } }) => {
      return declaration !== undefined && covers(scopes, `data:read:${name}`)
        ? [{ name, spec: declaration.spec, generation: declaration.generation }]
        : [];
    });
    ctx.set('Cache-Control', 'private, max-age=0, must-revalidate');
    ctx.set('Vary', 'authorization, x-api-key');
    ctx.body = createReferenceDocument(version, declared, await findTokenEndpoint?.());
  };
