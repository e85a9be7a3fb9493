import { afterEach, expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { newAttempt } from '../shared/environment.js';
import { createWorld, lines, PEOPLE, people, peopleIn, run, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

const guarded = (...validators: object[]) => DatasetSpec.parse({ ...PEOPLE, validators });

test.each([
  [{ rule: 'row_count', min: 15 }, '12 rows, at least 15'],
  [{ rule: 'row_count', max: 10 }, '12 rows, at most 10'],
  [{ rule: 'unique', field: 'name' }, 'two rows would have name "n2"'],
  [{ rule: 'references' }, '1 references would lead to nothing'],
])('a state that %j is against is not announced, and the one before stays', async (validator, message) => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const before = await peopleIn(process);
  const declare = { name: 'people', spec: guarded(validator), actor: 'test', force: false };
  await createDeclarations(process).declare(declare);
  await process.writes.put({ dataset: 'skills', id: 7n, actor: 'test' }, { name: 'Gone soon' });
  const rows = [...people(1, 10), { id: '11', name: 'n2', skills: [{ id: '7' }] }];
  const importId = await upload(lines(rows), { announce: 'at_end' });
  await newAttempt().run(() => process.steps.beginImport({ importId }));
  await newAttempt().run(() => process.steps.importRows({ importId }));
  await process.writes.remove({ dataset: 'skills', id: 7n, actor: 'test' });
  const done = await run(importId, process);
  expect([done.state, done.message]).toEqual(['failed', expect.stringContaining(message)]);
  expect(Object.keys(await peopleIn(process))).toEqual(Object.keys(before));
  expect((await peopleIn(process))['11']).toEqual([2, 'n11']); // its version is used up
  const { replica } = process.datasets.get('people').dataset;
  expect(replica.blocked).toEqual({ import: importId, message: expect.stringContaining(message), at: replica.at });
  await process.writes.put({ dataset: 'skills', id: 7n, actor: 'test' }, { name: 'Back' });
  // Another failure says nothing new of the state; one that is announced takes its place.
  await run(await upload('{"id":"x"}', { announce: 'at_end', on_error: 'stop' }), process);
  expect(replica.blocked?.import).toBe(importId);
  await createDeclarations(process).declare({ ...declare, spec: guarded({ rule: 'row_count', min: 1, max: null }) });
  expect(replica.blocked).toBeUndefined();
});

test('what blocked a state is forgotten with the next one that is announced', async () => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const declare = { name: 'people', spec: guarded({ rule: 'unique', field: 'name' }), actor: 'test', force: false };
  await createDeclarations(process).declare(declare);
  const { replica } = process.datasets.get('people').dataset;
  await run(await upload(lines([{ id: '13', name: 'n2' }]), { announce: 'at_end' }), process);
  expect(replica.blocked?.message).toBe('two rows would have name "n2"');
  await run(await upload(lines(people(13, 13)), { announce: 'at_end' }), process);
  expect(replica.blocked).toBeUndefined();
});

test.each(['as_you_go', 'at_end'] as const)('what would delete too much deletes nothing: %s', async (announce) => {
  const { process, upload, fill } = await createWorld();
  await fill();
  const spec = guarded({ rule: 'max_drop_percent', value: 25 });
  await createDeclarations(process).declare({ name: 'people', spec, actor: 'test', force: false });
  const options = { mode: 'replace', announce } as const;
  const dry = await run(await upload(lines(people(1, 8)), { ...options, dry_run: true }), process);
  const done = await run(await upload(lines(people(1, 8)), options), process);
  for (const { state, message } of [dry, done]) {
    expect([state, message]).toEqual(['failed', '33.3 % of 12 rows would be gone, at most 25 % may']);
  }
  expect(Object.keys(await peopleIn(process))).toHaveLength(12);
  const fine = await run(await upload(lines([...people(1, 8), ...people(30, 31)]), options), process);
  expect(fine).toMatchObject({ state: 'succeeded', counts: { created: 2, deleted: 4 } });
});
