import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KIND_ROWS } from '../../openapi/lifecycle/kinds.js';
import { REFERENCE_ROWS } from '../../openapi/reference/kinds.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let slipway: SlipwayRunner;
beforeAll(async () => {
  slipway = await createSlipwayRunner({});
});
afterAll(() => slipway.remove());

test('a kind and a field are explained by type, default and meaning', async () => {
  const kind = await slipway.run(['explain', 'training']);
  expect(kind.out).toMatch(/^ModelTraining\.spec {2}object\ncode, data and parameters/);
  expect(kind.out).toMatch(/\n {2}toolchain +text, required +id of a toolchain integration/);
  const field = await slipway.run(['explain', 'pipeline.spec.gates.approval']);
  expect(field.out).toMatch(/^ModelPipeline\.spec\.gates\.approval {2}object\na person with one of the roles/);
  expect((await slipway.run(['explain', 'watch.scope.dataset'])).out).toBe('Watch.spec.scope.dataset  text\n');
  expect((await slipway.run(['explain', 'watch.period'])).out).toMatch(
    /^Watch\.spec\.period {2}text or object\nlongest time/,
  );
  expect((await slipway.run(['explain', 'deployment.egress'])).out).toMatch(/text \(none, internet\), default none\n/);
});

test.each([
  ['training.dta', 'there is no field "dta": did you mean data?'],
  ['training.toolchain.x', 'there is no field "x": fields are none'],
  ['trainin', 'unknown kind "trainin": did you mean training?'],
  ['run', 'no manifest describes a run'],
])('%s is refused', async (path, message) => {
  expect(await slipway.run(['explain', path])).toMatchObject({ exitCode: 2, err: `Error: ${message}\n` });
});

test('the schema for editors takes the examples of every kind, and no slip', async () => {
  const { out } = await slipway.run(['schema']);
  const isManifest = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(out));
  for (const { kind, example } of [...KIND_ROWS, ...REFERENCE_ROWS]) {
    expect([kind, isManifest({ ...example, kind })]).toEqual([kind, true]);
    expect([kind, isManifest({ ...example, kind, spec: { surprise: 1 } })]).toEqual([kind, false]);
  }
  const one = JSON.parse((await slipway.run(['schema', 'route'])).out) as { properties: { kind: { const: string } } };
  expect(one.properties.kind.const).toBe('ModelRoute');
});
