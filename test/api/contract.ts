import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import { createDocument } from '../../openapi/lifecycle/document.js';

interface Reply {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

// As a client gets it: parsed JSON.
const document = JSON.parse(JSON.stringify(createDocument({ version: '0.0.0-test' })));
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, 'openapi');
const validators = new Map<string, ValidateFunction>();
const patterns = Object.keys(document.paths).map((path) => ({
  path,
  regexp: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}));

/** Fails when a reply is not what the OpenAPI document promises: its status, headers, content type and every key of its body. */
export function checkContract({ method, path, status, headers, body }: Reply): void {
  const [plain = ''] = path.split('?');
  const found = patterns.find(({ regexp }) => regexp.test(plain));
  const operation = found && document.paths[found.path][method.toLowerCase()];
  if (operation === undefined) {
    // Unknown paths and methods are errors, and these all have one form; the pages are no part of the document.
    if (plain.startsWith('/swagger') || plain === '/') return;
    checkSchema('#/components/schemas/Error', body, `${method} ${path}`);
    return;
  }
  const response = operation.responses[status];
  const name = `${method} ${found?.path} ${status}`;
  if (response === undefined) throw new Error(`${name} is not in the OpenAPI document: ${JSON.stringify(body)}`);
  if (response.headers?.['X-Request-Id'] && !headers.has('x-request-id'))
    throw new Error(`${name} has no X-Request-Id`);
  const pointer = `#/paths/${found?.path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}`;
  if (response.content?.['application/json']) {
    if (!headers.get('content-type')?.startsWith('application/json')) throw new Error(`${name} is not JSON`);
    const schema = `${pointer}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
    checkSchema(schema, body, name);
  }
}

function checkSchema(pointer: string, body: unknown, name: string): void {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` });
  validators.set(pointer, validate);
  if (!validate(body)) {
    throw new Error(`${name} breaks the contract: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`);
  }
}
