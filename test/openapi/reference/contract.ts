import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { oas31 } from 'openapi3-ts';
import { expect } from 'vitest';
import { createReferenceDocument } from '../../../openapi/reference/document.js';
import type { TestReference } from '../../api/reference/test-reference.js';
import { asRead, operationsOf } from '../operations.js';

type CallOptions = NonNullable<Parameters<TestReference['call']>[2]>;
interface OperationCall extends CallOptions {
  /** Values of the path, which replace those of the contract. */
  at?: Record<string, string>;
  query?: Record<string, string>;
}

/** Calls operations by their ids and holds each answer against the document. */
export function openContract(api: TestReference, places: Record<string, string>) {
  const document = asRead(createReferenceDocument('1', []));
  const operations = new Map(operationsOf(document).map((each) => [each.id, each]));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const seen = new Set<string>();

  function validatorOf(pointer: string): ValidateFunction {
    const found = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${encode(pointer)}` });
    compiled.set(pointer, found);
    return found;
  }

  async function call(id: string, { at = {}, query = {}, ...options }: OperationCall = {}) {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    const { method, path } = operation;
    const all = { ...places, ...at };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(all[name] ?? 'none'));
    const search = Object.keys(query).length === 0 ? '' : `?${String(new URLSearchParams(query))}`;
    const reply = await api.call(method, `${filled}${search}`, options);
    const { status, headers, text } = reply;
    const documented = operation.operation.responses?.[status] as oas31.ResponseObject | undefined;
    expect([id, status, documented === undefined, documented && text]).toEqual([id, status, false, text]);
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const hasBody = text !== '';
    expect([id, status, Object.keys(documented?.content ?? {}).includes(type)]).toEqual([id, status, hasBody]);
    if (hasBody && /json$/.test(type)) {
      const pointer = ['', 'paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
      const validate = validatorOf(pointer.map(escape).join('/'));
      const documents = type.endsWith('ndjson') ? text.trim().split('\n') : [text];
      for (const each of documents) {
        const isValid = validate(JSON.parse(each));
        expect([id, status, isValid, validate.errors]).toEqual([id, status, true, null]);
      }
    }
    seen.add(`${id} ${status}`);
    return reply;
  }

  /** Calls an operation that has to answer with this status. */
  async function answers(status: number, id: string, options: OperationCall = {}) {
    const reply = await call(id, options);
    expect([id, reply.status, reply.text]).toEqual([id, status, reply.text]);
    return reply;
  }

  /** Successes of these operations that the document has and that no call has produced. */
  const unproduced = (isOf: (tags: readonly string[]) => boolean): string[] =>
    [...operations.values()]
      .filter(({ operation }) => isOf(operation.tags ?? []))
      .flatMap(({ id, operation }) => Object.keys(operation.responses ?? {}).map((status) => ({ id, status })))
      .filter(({ id, status }) => /^[23]/.test(status) && !seen.has(`${id} ${status}`))
      .map(({ id, status }) => `${id} ${status}`);

  return { answers, unproduced, places, operations };
}
export type Contract = ReturnType<typeof openContract>;

const escape = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const encode = (pointer: string): string => pointer.replaceAll('{', '%7B').replaceAll('}', '%7D');
