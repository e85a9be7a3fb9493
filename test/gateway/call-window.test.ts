import { expect, test } from 'vitest';
import { createCallWindow } from '../../gateway/call-window.js';

function startWindow() {
  let nowMs = 0;
  const window = createCallWindow({ now: () => nowMs });
  const call = (id: string, code: number, seconds = 0.02): void => window.begin(id)({ code, seconds });
  const find = (id: string) => window.read().find((each) => each.id === id);
  return { window, call, find, pass: (ms: number) => void (nowMs += ms) };
}

test('calls are counted by deployment, those with a 5xx as failed, and by latency', () => {
  const { call, find, window } = startWindow();
  call('wine', 200);
  call('wine', 400);
  call('wine', 503, 100);
  call('iris', 200);
  expect(find('wine')).toMatchObject({ requests: 3, failed: 1, inflight: 0 });
  expect(find('wine')?.latencies.flatMap((count, at) => (count > 0 ? [[at, count]] : []))).toEqual([
    [4, 2],
    [15, 1],
  ]);
  expect(window.read()).toHaveLength(2);
});

test('a call is in flight until it ends; one without an answer is not counted', () => {
  const { find, window } = startWindow();
  const first = window.begin('wine');
  const second = window.begin('wine');
  expect(find('wine')).toMatchObject({ inflight: 2, requests: 0 });
  first();
  second({ code: 200, seconds: 1 });
  expect(find('wine')).toMatchObject({ inflight: 0, requests: 1 });
});

test('calls leave the window after five minutes, and with the last one the deployment', () => {
  const { call, find, pass, window } = startWindow();
  call('wine', 200);
  pass(200_000);
  call('wine', 500);
  expect(find('wine')).toMatchObject({ requests: 2, failed: 1 });
  pass(100_000);
  expect(find('wine')).toMatchObject({ requests: 1, failed: 1 });
  pass(200_000);
  expect(window.read()).toEqual([]);
});
