import openapiTS, { astToString } from 'openapi-typescript';
import type { oas31 } from 'openapi3-ts';
import * as prettier from 'prettier';
import { createDocument } from './lifecycle/document.js';
import { createReferenceDocument } from './reference/document.js';

const HEADER = `// Made of the OpenAPI documents by \`npm run client:types\`; a test compares the two. Do not edit.\n\n`;

/** The file `client/openapi.ts`: every path, parameter and body of both APIs as TypeScript types. */
export async function createClientTypes(): Promise<string> {
  // The two libraries describe the same standard with types of their own.
  const document = withoutFailures(withReferenceData(createDocument({ version: '1' }))) as unknown as Parameters<
    typeof openapiTS
  >[0];
  const text = astToString(await openapiTS(document, { defaultNonNullable: false }));
  const format = await prettier.resolveConfig('client/openapi.ts');
  return prettier.format(HEADER + text, { ...format, parser: 'typescript' });
}

/** Adds the paths and schemas of `/v2`, which the same server serves with the same tokens. */
function withReferenceData({ paths, components, ...document }: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const reference = createReferenceDocument('1', []);
  return {
    ...document,
    paths: { ...paths, ...reference.paths },
    components: { ...components, schemas: { ...components?.schemas, ...reference.components?.schemas } },
  };
}

/**
 * Removes bodies of failures, headers and examples, nine tenths of the types: the client throws every failure as one
 * class and does not use them.
 */
function withoutFailures(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const paths = mapValues(document.paths ?? {}, (item) => mapValues({ ...item }, toSuccess));
  return { ...document, paths };
}

function toSuccess(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part;
  const { responses, requestBody, ...rest } = part as oas31.OperationObject; // only operations have responses
  const successes = Object.entries(responses ?? {}).filter(([status]) => Number(status) < 300);
  return {
    ...rest,
    ...(requestBody && { requestBody: withoutExamples(requestBody) }),
    responses: Object.fromEntries(
      successes.map(([status, { headers: _, ...reply }]: [string, oas31.ResponseObject]) => [status, reply]),
    ),
  };
}

function withoutExamples(body: oas31.RequestBodyObject | oas31.ReferenceObject): object {
  if (!('content' in body)) return body;
  return { ...body, content: mapValues(body.content, ({ example: _, ...media }) => media) };
}

const mapValues = <Value, Result>(given: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
