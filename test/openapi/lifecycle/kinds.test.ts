import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { KIND_ROWS, type KindRow } from '../../../openapi/lifecycle/kinds.js';
import { KINDS } from '../../../platform/kinds/resource.js';
import { asRead, operationsOf } from '../operations.js';

const document = asRead(createDocument({ version: '1' }));
const operations = operationsOf(document);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');
const schemaOf = (name: string) => ajv.compile({ $ref: `openapi#/components/schemas/${name}` });

type Spec = Record<string, unknown>;
const specOf = ({ example }: KindRow): Spec => (example as { spec: Spec }).spec;
const accepts = (schema: z.ZodType, given: unknown): boolean => schema.safeParse(given).success;

test('every kind that a client manages has a row', () => {
  const rows = KIND_ROWS.map(({ kind }) => kind);
  expect(new Set(rows).size).toBe(rows.length);
  const created = operations.flatMap(({ id }) => KINDS.filter((kind) => id === `create${kind}`));
  expect(created.filter((kind) => kind !== 'PipelineRun').sort()).toEqual([...rows].sort());
  expect(new Set(KIND_ROWS.map(({ path }) => path)).size).toBe(rows.length);
});

test.each(KIND_ROWS.map((row) => ({ kind: row.kind, row })))(
  'the example of $kind is read by the parser of its kind',
  ({ row }) => {
    const result = row.spec.safeParse(specOf(row));
    expect([row.kind, result.error?.issues ?? []]).toEqual([row.kind, []]);
    expect(row.example).toMatchObject({ kind: row.kind });
    // A stored specification, with all defaults, is a reply of the document.
    const whole = {
      kind: row.kind,
      id: 'x',
      spec: result.data,
      status: {},
      generation: 1,
      createdAt: '',
      updatedAt: '',
      createdBy: '',
      updatedBy: '',
    };
    const { properties } = document.components?.schemas?.[row.kind] as { properties: { spec: object } };
    const validate = ajv.compile(properties.spec);
    expect([row.kind, validate(JSON.parse(JSON.stringify(whole.spec))), validate.errors]).toEqual([
      row.kind,
      true,
      null,
    ]);
  },
);

test.each(KIND_ROWS.map((row) => ({ kind: row.kind, row })))(
  '$kind needs in requests what its parser needs',
  ({ row }) => {
    const spec = specOf(row);
    const request = schemaOf(`${row.kind}Request`);
    for (const name of row.required) {
      const { [name]: _, ...others } = spec;
      expect([name, request({ id: 'x', spec: others })]).toEqual([name, false]);
    }
    const alone = Object.fromEntries(row.required.map((name) => [name, spec[name]]));
    expect([row.kind, request({ id: 'x', spec: alone }), request.errors]).toEqual([row.kind, true, null]);
    expect([row.kind, accepts(row.spec, alone)]).toEqual([row.kind, true]);
  },
);

test.each(KIND_ROWS.map((row) => ({ kind: row.kind, row })))(
  'a request of $kind takes what the server wrote, and has no unknown member, as a reply',
  ({ row }) => {
    const request = schemaOf(`${row.kind}Request`);
    const spec = specOf(row);
    expect(request({ ...row.example, status: { state: 'x' } })).toBe(true);
    expect(request({ ...row.example, spec: { ...spec, surprise: 1 } })).toBe(false);
    const reply = schemaOf(row.kind);
    expect(reply({ ...row.example, surprise: 1 })).toBe(false);
    for (const wrong of [
      {},
      { id: 'x' },
      ...(row.drawsId ? [] : [{ spec }]),
      { id: 1, spec },
      { id: 'x', spec, kind: 'Other' },
    ]) {
      expect([JSON.stringify(wrong).slice(0, 40), request(wrong)]).toEqual([JSON.stringify(wrong).slice(0, 40), false]);
    }
  },
);

test.each(KIND_ROWS.map((row) => ({ kind: row.kind, row })))(
  '$kind has its five operations, with its own filters',
  ({ row }) => {
    const { kind, path, filters, drawsId } = row;
    const byId = new Map(operations.map((each) => [each.id, each]));
    const found = [`list${kind}s`, `create${kind}`, `replace${kind}`, `get${kind}`, `delete${kind}`].map((id) =>
      byId.get(id),
    );
    expect(found.map((each) => each && [each.method, each.path])).toEqual([
      ['GET', `/api/v1${path}`],
      ['POST', `/api/v1${path}`],
      drawsId ? undefined : ['PUT', `/api/v1${path}`],
      ['GET', `/api/v1${path}/{id}`],
      ['DELETE', `/api/v1${path}/{id}`],
    ]);
    const [list, create] = found;
    const queries = list?.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    expect(queries).toEqual(['size', 'page', ...filters]);
    expect(Object.keys(create?.operation.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '409', '422']),
    );
  },
);

test('a run ends in the states that the document names', () => {
  for (const kind of ['ModelTraining', 'ModelPackaging']) {
    const { properties } = document.components?.schemas?.[kind] as {
      properties: { status: { properties: { state: { enum: string[] } } } };
    };
    expect(properties.status.properties.state.enum).toEqual(expect.arrayContaining(['succeeded', 'failed']));
  }
});

test('an error has a message and a code, and its problems name their paths', () => {
  const error = schemaOf('Error');
  const whole = { message: 'a', code: 'invalid', requestId: 'r' };
  expect(error(whole)).toBe(true);
  expect(error({ ...whole, errors: [{ path: 'spec', pointer: '/spec', code: 'x', message: 'y' }] })).toBe(true);
  for (const name of Object.keys(whole)) expect([name, error({ ...whole, [name]: undefined })]).toEqual([name, false]);
  expect(error({ ...whole, errors: [{ path: 'spec' }] })).toBe(false);
  expect(error({ ...whole, stack: 'no' })).toBe(false);
});
