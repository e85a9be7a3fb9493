import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { RunRequestBody } from '../../lifecycle/kinds/pipeline-run-request.js';
import { RecoverySpec } from '../../notifications/kinds/recovery.js';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { WatchSpec } from '../../notifications/kinds/watch.js';
import { unknownFields } from '../../platform/kinds/unknown-fields.js';
import { createDocument } from '../../openapi/lifecycle/document.js';
import { KIND_ROWS } from '../../openapi/lifecycle/kinds.js';
import { createReferenceDocument } from '../../openapi/reference/document.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { boundsOf, refusesAt, withValue } from './bounds.js';
import { asRead, operationsOf } from './operations.js';

type Schema = Readonly<Record<string, unknown>>;
interface Request {
  name: string;
  schema: Schema;
  parser: z.ZodType;
  base: unknown;
}

const lifecycle = asRead(createDocument({ version: '1' }));
const reference = asRead(createReferenceDocument('1', []));
const specOf = (schema: unknown): Schema => (schema as { properties: { spec: Schema } }).properties.spec;
const component = (document: typeof lifecycle, name: string): Schema => {
  const schema = document.components?.schemas?.[name];
  if (schema === undefined) throw new Error(`there is no ${name}`);
  return schema as Schema;
};
const runBody = operationsOf(lifecycle).find(({ id }) => id === 'createPipelineRun')?.operation.requestBody as {
  content: Record<string, { schema: Schema }>;
};

const REQUESTS: Request[] = [
  ...KIND_ROWS.map(({ kind, spec, example }) => ({
    name: kind,
    schema: specOf(component(lifecycle, `${kind}Request`)),
    parser: spec,
    base: (example as { spec: unknown }).spec,
  })),
  { name: 'a run', schema: runBody.content['application/json']?.schema ?? {}, parser: RunRequestBody, base: {} },
  {
    name: 'a dataset',
    schema: specOf(component(reference, 'DatasetRequest')),
    parser: DatasetSpec,
    base: { fields: { name: { type: 'text' } }, lookup: { fields: ['name'] }, validators: [{ rule: 'row_count' }] },
  },
  {
    name: 'a subscription',
    schema: component(reference, 'SubscriptionRequest'),
    parser: SubscriptionSpec,
    base: { name: 'a', url: 'https://hr.example/', types: ['dataset.places.*'] },
  },
  {
    name: 'a watch',
    schema: component(reference, 'WatchRequest'),
    parser: WatchSpec,
    base: { name: 'a', scope: { dataset: 'places' }, period: 'PT1H' },
  },
  { name: 'a recovery', schema: component(reference, 'RecoveryRequest'), parser: RecoverySpec, base: {} },
];

/** As the API does: a kind's parser drops unknown fields, after they were refused. */
const isAccepted = (parser: z.ZodType, body: unknown): boolean =>
  parser.safeParse(body).success && [...unknownFields(parser, body, [])].length === 0;

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

describe.each(REQUESTS)('the document and the parser of $name', ({ schema, parser, base }) => {
  const validate = ajv.compile(schema);
  const refusedByDocument = (body: unknown, path: readonly (string | number)[]): boolean => {
    validate(body);
    const pointer = path.map((step) => `/${step}`).join('');
    return (validate.errors ?? []).some(({ instancePath }) => instancePath === pointer);
  };
  const bounds = [...boundsOf(schema, base)];

  test('agree on a request that is good', () => {
    expect([validate(base), validate.errors, parser.safeParse(base).success]).toEqual([true, null, true]);
  });

  test('refuse the same values beyond the bounds that are declared', () => {
    const loose = bounds
      .filter(({ isBeyond }) => isBeyond)
      .filter(({ body, path }) => !refusedByDocument(body, path) || !refusesAt(parser, body, path));
    expect(loose.map(({ name }) => name)).toEqual([]);
  });

  test('accept the same values at the bounds that are declared', () => {
    const tight = bounds
      // Entries of a list that are of no use here may repeat, which is refused for another reason.
      .filter(({ isBeyond, name }) => !isBeyond && !/Items/.test(name))
      .filter(({ body, path }) => refusedByDocument(body, path) !== refusesAt(parser, body, path));
    expect(tight.map(({ name }) => name)).toEqual([]);
  });

  test('refuse the same unknown members', () => {
    const unknown = (path: readonly string[]) => withValue(base, [...path, 'surprise'], 'x');
    const objects = Object.entries(base as object).filter(
      ([, value]) => typeof value === 'object' && !Array.isArray(value),
    );
    for (const path of [[], ...objects.map(([name]) => [name])]) {
      expect([path, validate(unknown(path))]).toEqual([path, isAccepted(parser, unknown(path))]);
    }
  });

  test('refuse the same members of another type', () => {
    const { properties = {} } = schema as { properties?: Record<string, Schema> };
    for (const name of Object.keys(properties)) {
      // A list fits no member but a list, an object no member but an object.
      for (const value of [[[[]]], { surprise: { surprise: [] } }]) {
        const body = withValue(base, [name], value);
        expect([name, value, validate(body)]).toEqual([name, value, isAccepted(parser, body)]);
      }
    }
  });
});

test('the documents declare bounds to test', () => {
  const count = REQUESTS.reduce((sum, { schema, base }) => sum + [...boundsOf(schema, base)].length, 0);
  expect(count).toBeGreaterThan(100);
});
