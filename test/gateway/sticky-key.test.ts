import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readStickyKey } from '../../gateway/sticky-key.js';
import { customRoute } from './edge.js';

const request = (headers: Record<string, string> = {}) => ({ headers, socket: {} }) as unknown as IncomingMessage;
const keyOf = async (field: string, body: string, headers?: Record<string, string>) =>
  (
    await readStickyKey(request(headers), customRoute('r', { a: 100 }, { sticky: { field } }), async () =>
      Buffer.from(body),
    )
  ).key;

test('a field of the body is the key, if it is text, a number or a flag', async () => {
  expect(await keyOf('id', '{"id":"x"}')).toBe('x');
  expect(await keyOf('id', '{"id":7}')).toBe('7');
  expect(await keyOf('id', '{"id":false}')).toBe('false');
  expect(await keyOf('data.1.0', '{"data":[[1],[2]]}')).toBe('2');
  for (const body of ['{"id":null}', '{"id":[]}', '{"id":""}', '[]', '1', '{', '']) {
    expect([body, await keyOf('id', body)]).toEqual([body, undefined]);
  }
  expect(await keyOf('constructor.name', '{}')).toBeUndefined();
  expect(await keyOf('data.length', '{"data":[1]}')).toBe('1');
});

test('a body that is long or compressed is not parsed', async () => {
  expect(await keyOf('id', JSON.stringify({ id: 'x', pad: 'y'.repeat(256 * 1024) }))).toBeUndefined();
  expect(await keyOf('id', '{"id":"x"}', { 'content-encoding': 'gzip' })).toBeUndefined();
});

test('the body is read for a field alone', async () => {
  const read = () => Promise.reject(new Error('the body is not needed'));
  const route = (sticky: object) => customRoute('r', { a: 100 }, { sticky });
  expect(await readStickyKey(request({ 'x-user': 'u' }), route({ header: 'X-User' }), read)).toEqual({
    key: 'u',
    headers: [],
  });
  expect(await readStickyKey(request(), route({ header: 'X-User' }), read)).toEqual({ headers: [] });
  expect(await readStickyKey(request(), route({}), read)).toEqual({ headers: [] });
});
