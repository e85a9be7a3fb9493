import { expect, test } from 'vitest';
import { createMask, maskedLog } from '../../../activities/shared/masked-log.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';

const KEY_FILE = '{\n  "type": "service",\n  "private_key": "-----BEGIN-----\\nMIIEvQ"\n}\n';

test.each([
  [['hunter2'], 'login with hunter2 and hunter2!', 'login with ***** and *****!'],
  [['abcd', 'abcdefgh'], 'abcdefgh', '*****'],
  [['a.b*c$&'], 'x a.b*c$& y', 'x ***** y'],
  [['pass\n'], 'pass', '*****'],
  [['', 'abc'], 'abc', 'abc'],
  [[KEY_FILE], '  "private_key": "-----BEGIN-----\\nMIIEvQ"', '  *****'],
  [[KEY_FILE], '{ "other": 1 }', '{ "other": 1 }'],
])('of %j the line %s is %s', (secrets, line, masked) => {
  const mask = createMask();
  mask.add(secrets);
  expect(mask.apply(line)).toBe(masked);
});

test('no secret reaches the chunks or the tail of a log, and the log is continued at the same position', async () => {
  const objects = createMemoryObjects();
  const mask = createMask();
  const log = maskedLog(await createLogs({ objects }).writer('logs/a/'), mask);
  mask.add(['hunter2']);
  await log.step('start');
  await log.append({ at: '2026-01-01T00:00:00.000000000Z', stream: 'stdout', text: 'hunter2' });
  await log.flush();
  expect(log.position).toEqual({ at: '2026-01-01T00:00:00.000000000Z', lines: 1 });
  expect(await log.tail()).toContain('*****');
  for await (const { key } of objects.list('')) expect((await objects.read(key)).toString()).not.toContain('hunter2');
});
