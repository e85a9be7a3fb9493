import { oas31 } from 'openapi3-ts';
import type { Kind } from '../../platform/kinds/resource.js';
import { KIND_ROWS } from './kinds.js';
import { imageVerificationPaths } from './image-verification.js';
import { rolloutPaths } from './rollout.js';
import { connectionPaths, deploymentPaths, kindPaths, runPaths } from './operations.js';
import type { Paths } from './operations.js';
import { PARAMETERS } from './parameters.js';
import { pipelinePaths } from './pipeline.js';
import { platformPaths } from './platform.js';
import { HEADERS } from './responses.js';
import { componentSchemas } from './schemas.js';
import { tokenSchemes } from '../security-schemes.js';

export interface DocumentOptions {
  version: string;
  /** Where the OpenID issuer gives tokens for client credentials; without it there is only the token to paste. */
  tokenEndpoint?: string;
}

const DESCRIPTION = `Takes a machine learning model from a commit to live traffic.

Press **Authorize**, and log in with a client id and secret or paste a token of the OpenID issuer. Every reply names its
request in \`X-Request-Id\`; every error is JSON with \`message\` and \`code\`.`;

/** The management API as OpenAPI 3.1, built from the schemas that read the requests. */
export function createDocument({ version, tokenEndpoint }: DocumentOptions): oas31.OpenAPIObject {
  const builder = oas31.OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addTitle('Slipway management API')
    .addDescription(DESCRIPTION)
    .addVersion(version)
    .addLicense({ name: 'Apache-2.0', identifier: 'Apache-2.0' })
    // Relative to the document, so that it is right behind every gateway.
    .addServer({ url: '..', description: 'this installation' });
  const schemes = tokenSchemes(tokenEndpoint);
  for (const [name, scheme] of Object.entries(schemes)) builder.addSecurityScheme(name, scheme);
  for (const [name, schema] of Object.entries(componentSchemas())) builder.addSchema(name, schema);
  for (const [name, parameter] of Object.entries(PARAMETERS)) builder.addParameter(name, parameter);
  for (const [name, header] of Object.entries(HEADERS)) builder.addHeader(name, header);
  for (const row of KIND_ROWS) builder.addTag({ name: row.kind, description: row.about });
  builder.addTag({ name: 'PipelineRun', description: 'a pipeline on its way from a commit to traffic' });
  builder.addTag({ name: 'Platform', description: 'You, the installation, its records' });
  for (const [path, item] of Object.entries(allPaths())) builder.addPath(path, item);
  return { ...builder.getSpec(), security: Object.keys(schemes).map((name) => ({ [name]: [] })) };
}

const RUN_KINDS: readonly Kind[] = ['ModelTraining', 'ModelPackaging', 'InferenceJob'];

function allPaths(): Paths {
  const runs = KIND_ROWS.filter(({ kind }) => RUN_KINDS.includes(kind));
  return Object.assign(
    {},
    ...KIND_ROWS.map(kindPaths),
    ...runs.map(runPaths),
    connectionPaths,
    deploymentPaths,
    rolloutPaths,
    pipelinePaths,
    platformPaths,
    imageVerificationPaths,
  ) as Paths; // every part is one
}
