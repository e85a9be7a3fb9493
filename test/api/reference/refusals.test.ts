import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createRefusals } from '../../../api/reference/refusals.js';
import { declareAll, startTestReference } from './test-reference.js';

/** Lines that a logger writes. */
function listen() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (text) => void lines.push(JSON.parse(text) as Record<string, unknown>) });
  return { lines, logger };
}

test('refused credentials are counted by reason, without a word of theirs', async () => {
  const metrics = new Registry();
  const { lines, logger } = listen();
  const api = await startTestReference({ changes: { metrics, logger } });
  try {
    await declareAll(api);
    const calls = [
      { as: null },
      { key: 'slp_hunter2' },
      { key: 'slp_hunter3' },
      { as: null, headers: { authorization: 'Bearer hunter4' } },
      { key: 'slp_hunter2', headers: { authorization: 'Bearer hunter4' } },
    ];
    for (const call of calls) expect((await api.call('GET', '/v2/skills', call)).status).toBeGreaterThanOrEqual(400);
    // A plain read of one row takes a way past the other steps.
    await api.call('GET', '/v2/skills/none', { key: 'slp_hunter2' });
    expect((await api.call('GET', '/v2/skills')).status).toBe(200);
    const text = await metrics.metrics();
    const counts = [...text.matchAll(/refused_credentials_total\{reason="(\w+)",credential="(\w+)"\} (\d+)/g)];
    expect(counts.map(([, ...row]) => row.join(' ')).toSorted()).toEqual([
      ...['invalid key 3', 'invalid token 1', 'required none 1', 'two_credentials key 1'],
    ]);
    const refused = lines.filter(({ msg }) => String(msg).includes('are refused'));
    expect(refused.map(({ reason, credential }) => `${String(reason)} ${String(credential)}`)).toEqual([
      ...['required none', 'invalid key', 'invalid token', 'two_credentials key'],
    ]);
    expect(`${text}${JSON.stringify(refused)}`).not.toContain('hunter');
  } finally {
    await api.stop();
  }
});

test('the log has one line a minute for each reason, with the number of those between', () => {
  let time = 0;
  const { lines, logger } = listen();
  const onRefused = createRefusals({ logger, now: () => time });
  const refuse = () => onRefused({ reason: 'invalid', credential: 'key', requestId: 'r' });
  for (let count = 0; count < 5; count += 1) refuse();
  time += 60_000;
  refuse();
  expect(lines.map(({ more }) => more)).toEqual([0, 4]);
});
