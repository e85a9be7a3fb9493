import { oas31 } from 'openapi3-ts';
import { KIND_ROWS } from './kinds.js';
import { connectionPaths, deploymentPaths, kindPaths, runPaths } from './operations.js';
import type { Paths } from './operations.js';
import { PARAMETERS } from './parameters.js';
import { platformPaths } from './platform.js';
import { HEADERS } from './responses.js';
import { componentSchemas } from './schemas.js';

export interface DocumentOptions {
  version: string;
}

const DESCRIPTION = `Takes a machine learning model from a commit to live traffic.

Get a token from the OpenID issuer (client credentials), press **Authorize** and paste it. Every reply names its request in
\`X-Request-Id\`; every error is JSON with \`message\` and \`code\`.`;

/** The management API as OpenAPI 3.1, built from the schemas that read the requests. */
export function createDocument({ version }: DocumentOptions): oas31.OpenAPIObject {
  const builder = oas31.OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addTitle('Slipway management API')
    .addDescription(DESCRIPTION)
    .addVersion(version)
    .addLicense({ name: 'Apache-2.0', identifier: 'Apache-2.0' })
    // Relative to the document, so that it is right behind every gateway.
    .addServer({ url: '..', description: 'this installation' })
    .addSecurityScheme('bearer', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  for (const [name, schema] of Object.entries(componentSchemas())) builder.addSchema(name, schema);
  for (const [name, parameter] of Object.entries(PARAMETERS)) builder.addParameter(name, parameter);
  for (const [name, header] of Object.entries(HEADERS)) builder.addHeader(name, header);
  for (const row of KIND_ROWS) builder.addTag({ name: row.kind, description: `Every ${row.noun}` });
  builder.addTag({ name: 'Platform', description: 'You, the installation, its records' });
  for (const [path, item] of Object.entries(allPaths())) builder.addPath(path, item);
  return { ...builder.getSpec(), security: [{ bearer: [] }] };
}

function allPaths(): Paths {
  const runs = KIND_ROWS.filter(({ kind }) => kind === 'ModelTraining' || kind === 'ModelPackaging');
  return Object.assign(
    {},
    ...KIND_ROWS.map(kindPaths),
    ...runs.map(runPaths),
    connectionPaths,
    deploymentPaths,
    platformPaths,
  ) as Paths; // every part is one
}
