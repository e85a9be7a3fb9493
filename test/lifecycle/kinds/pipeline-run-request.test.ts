import { expect, test } from 'vitest';
import { readDecision, readRunRequest } from '../../../lifecycle/kinds/pipeline-run-request.js';
import type { Pipeline, PipelineSpec, PipelineStatus } from '../../../lifecycle/kinds/pipeline.js';
import { refusal, stored } from './installation.js';
import { accept } from './pipelines.js';

async function newPipeline(changes: object = {}): Promise<Pipeline> {
  const { spec } = await accept(changes);
  return stored<PipelineSpec, PipelineStatus>('ModelPipeline', 'wine', spec, { lastRun: 0, positions: {} });
}
const read = async (body: unknown, changes: object = {}) => readRunRequest(body, await newPipeline(changes));

test('a request may say nothing, or everything', async () => {
  for (const body of [{}, undefined, null, { parameters: null, version: '', noCache: null }]) {
    expect(await read(body)).toEqual({ parameters: {} });
  }
  const body = { parameters: { alpha: 0.9 }, version: 3, noCache: true };
  expect(await read(body)).toEqual({ parameters: { alpha: '0.9' }, version: '3', noCache: true });
});

// prettier-ignore
const REFUSED: readonly (readonly [unknown, string])[] = [
  [[], 'the body must be a JSON object'],
  ['now', 'the body must be a JSON object'],
  [{ paramters: {} }, 'a run takes parameters, version, noCache, not "paramters"'],
  [{ parameters: { beta: '1' } }, 'pipeline wine declares no parameter "beta"; declared: alpha'],
  [{ parameters: { toString: '1' } }, 'pipeline wine declares no parameter "toString"; declared: alpha'],
  [{ parameters: { alpha: {} } }, 'parameters.alpha must be text'],
  [{ parameters: 'alpha=1' }, 'parameters must be an object'],
  [{ noCache: 'yes' }, 'noCache must be true or false'],
  [{ version: ['1'] }, 'version must be text'],
  [{ version: '{{ nope }}' }, 'version: unknown placeholder "nope", known are pipeline, run, version, commit, parameters.alpha'],
  [{ parameters: { alpha: '{{ version }}' }, version: '{{ parameters.alpha }}' }, 'parameters.alpha: placeholders form a cycle: version -> parameters.alpha -> version'],
];
test.each(REFUSED)('the request %j is refused', async (body, message) => {
  expect(await refusal(read(body))).toContain(message);
});

test('a pipeline without parameters says so', async () => {
  const { hyperParameters: _, ...training } = (await accept()).spec.training;
  const changes = { parameters: {}, training };
  expect(await refusal(read({ parameters: { beta: '1' } }, changes))).toContain('declared: none');
});

test('what a request gives may name what is known later', async () => {
  const body = { version: '{{ commit }}-{{ run }}', parameters: { alpha: '{{ pipeline }}' } };
  expect(await read(body)).toEqual(body);
});

test('a decision says why', async () => {
  expect(readDecision({ reason: '  looks good\n' })).toBe('looks good');
  for (const body of [{}, null, 'yes', { reason: '' }, { reason: ' ' }, { reason: 5 }, { reason: 'x'.repeat(1_001) }]) {
    expect(() => readDecision(body)).toThrow('reason must be a text of 1 to 1000 characters that says why');
  }
});
