import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createStartup } from '../../../workers/compose/startup.js';
import { findTestPortBase } from '../../stack/port-base.js';

async function reach(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return 'open';
  } catch (cause) {
    throw new SlipwayError('unavailable', 'the database does not answer', { cause });
  } finally {
    socket.destroy();
  }
}

/** A start whose pauses take no time; `onPause` gets the count of pauses so far. */
function begin(onPause: (count: number) => Promise<void> | void = () => {}) {
  const pauses: number[] = [];
  const lines: string[] = [];
  const note = (line: unknown) => void lines.push(String(line));
  const startup = createStartup({
    log: { info: note, warn: note },
    wait: async (ms) => {
      pauses.push(ms);
      await onPause(pauses.length);
    },
  });
  return { startup, pauses, lines };
}

test('a start waits for a service that is away, with a line for each try, and goes on when it answers', async () => {
  const server = createServer();
  const port = await findTestPortBase();
  const seen: unknown[] = [];
  const { startup, pauses, lines } = begin(async (count) => {
    seen.push(await startup.checkReady().catch((err: unknown) => err));
    if (count === 5) await once(server.listen(port, '127.0.0.1'), 'listening');
  });
  expect(await startup.awaitService('the database', () => reach(port))).toBe('open');
  server.close();

  expect(pauses).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  const reason = `the start waits for the database: connect ECONNREFUSED 127.0.0.1:${port}`;
  expect(lines).toEqual([...pauses.map((ms) => `${reason}; next try in ${ms / 1_000} s`), 'the database answers']);
  expect(seen[0]).toMatchObject({ code: 'unavailable', message: reason });
});

test('a fault that no wait heals ends the start at once', async () => {
  const { startup, pauses } = begin();
  const refused = new SlipwayError('internal', 'the database refused the user of MONGODB_URI');
  await expect(startup.awaitService('the database', () => Promise.reject(refused))).rejects.toBe(refused);
  await expect(startup.awaitService('Temporal', () => Promise.reject(new TypeError('bad')))).rejects.toThrow('bad');
  expect(pauses).toEqual([]);
});

test('readiness names every service that the start waits for, then what the process checks', async () => {
  let isBack = false;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { startup, lines } = begin(() => held);
  await expect(startup.checkReady()).rejects.toThrow('the start is under way');
  const away = async () => {
    if (!isBack) throw new SlipwayError('unavailable', 'no answer');
  };
  const waits = [startup.awaitService('the database', away), startup.awaitService('Temporal', away)];
  await expect.poll(() => lines.length).toBe(2);
  await expect(startup.checkReady()).rejects.toThrow(
    'the start waits for the database: no answer; the start waits for Temporal: no answer',
  );
  isBack = true;
  release();
  await Promise.all(waits);
  startup.finish(() => Promise.reject(new Error('its own check')));
  await expect(startup.checkReady()).rejects.toThrow('its own check');
});

test('services that were never away are not mentioned', async () => {
  const { startup, lines } = begin();
  expect(await startup.awaitService('the database', async () => 1)).toBe(1);
  expect(lines).toEqual([]);
});
