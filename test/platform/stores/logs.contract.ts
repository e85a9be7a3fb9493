import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { LogLine } from '../../../platform/kinds/log.js';
import type { LogStore, LogWriter } from '../../../platform/stores/logs.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';

const line = (text: string, at = '2024-01-01T00:00:00Z'): LogLine => ({ at, stream: 'stdout', text });

/** An engine's log: `after` is what it would answer to a writer's position. */
function engineLog(count: number, perSecond: number) {
  const lines = Array.from({ length: count }, (_, index) =>
    line(`line ${index}`, new Date(Date.UTC(2024, 0, 1, 0, 0, Math.floor(index / perSecond))).toISOString()),
  );
  return {
    text: lines.map(({ text }) => `${text}\n`).join(''),
    after: (position: LogWriter['position']) => {
      if (position === undefined) return lines;
      const first = lines.findIndex(({ at }) => at === position.at);
      return lines.slice(first + position.lines);
    },
  };
}

export function logsContract(open: () => Promise<ObjectStore>): void {
  let objects: ObjectStore;
  let logs: LogStore;
  beforeAll(async () => {
    objects = await open();
    logs = createLogs({ objects, pollMs: 20, flushMs: 50 });
  });
  const newPrefix = () => `logs/training/t/${randomUUID()}/1/`;
  const text = async (prefix: string, follow = false, signal?: AbortSignal) => {
    let all = '';
    for await (const piece of logs.read(prefix, { follow, signal })) all += piece;
    return all;
  };

  test('lines are read as they were written, with the steps between them', async () => {
    const prefix = newPrefix();
    const writer = await logs.writer(prefix);
    await writer.step('train');
    await writer.append(line('größe 1'));
    await writer.append(line(''));
    await writer.step('result');
    expect(await logs.exists(prefix)).toBe(false);
    await writer.flush();
    expect(await text(prefix)).toBe('INFO === train\ngröße 1\n\nINFO train ended\nINFO === result\n');
    expect(await logs.exists(prefix)).toBe(true);
    expect(await logs.end(prefix)).toBeUndefined();
    expect(await writer.finish({ exitCode: 3 })).toEqual({
      exitCode: 3,
      tail: 'INFO === train\ngröße 1\n\nINFO train ended\nINFO === result\nINFO result ended',
    });
    expect(await logs.end(prefix)).toMatchObject({ exitCode: 3 });
  });

  test('an end that is recorded twice is shown once, with the sentence of the first', async () => {
    const prefix = newPrefix();
    const first = await logs.writer(prefix);
    await first.step('train');
    await first.append(line('one'));
    await first.flush();
    // The worker dies between the last line and the end.
    const dying = createLogs({
      objects: {
        ...objects,
        put: async (key, ...rest) => {
          if (key.endsWith('done.json')) throw new Error('died');
          return objects.put(key, ...rest);
        },
      },
    });
    await expect((await dying.writer(prefix)).finish({ failure: 'Timeout: m' })).rejects.toThrow('died');
    await (await logs.writer(prefix)).finish({ exitCode: 1, failure: 'Timeout: m' });
    expect(await text(prefix)).toBe('INFO === train\none\nINFO train ended\nERROR failed: Timeout: m\n');
    expect(await logs.end(prefix)).toMatchObject({ exitCode: 1 });
  });

  test('an unknown log is empty, and has no end', async () => {
    expect(await text(newPrefix())).toBe('');
    expect(await logs.exists(newPrefix())).toBe(false);
    expect(await logs.end(newPrefix())).toBeUndefined();
  });

  test('a quiet writer stores its lines by itself', async () => {
    const prefix = newPrefix();
    const writer = await logs.writer(prefix);
    await writer.append(line('then silence'));
    const deadline = Date.now() + 60_000;
    while (!(await logs.exists(prefix)) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 10));
    expect(await text(prefix)).toBe('then silence\n');
  });

  test('a last line before a long silence is stored after an outage, without another line', async () => {
    const prefix = newPrefix();
    let refusals = 3;
    const put: ObjectStore['put'] = async (...given) => {
      if (refusals-- > 0) throw new SlipwayError('unavailable', 'down');
      return objects.put(...given);
    };
    const writer = await createLogs({ objects: { ...objects, put }, flushMs: 10 }).writer(prefix);
    await writer.append(line('then silence'));
    await expect.poll(() => text(prefix), { timeout: 30_000 }).toBe('then silence\n');
  });

  test('a line of 1 MB goes through whole', async () => {
    const prefix = newPrefix();
    const writer = await logs.writer(prefix);
    const long = 'ä'.repeat(500_000);
    await writer.append(line(long));
    expect(await text(prefix)).toBe(`${long}\n`); // stored by append: it is more than a chunk
    const { tail } = await writer.finish();
    expect(tail).toMatch(/^ä+$/);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8_192);
  });

  test('a log is cut at its limit with one mark, whoever writes it on, and its steps and end still come', async () => {
    const capped = createLogs({ objects, pollMs: 20, flushMs: 50, maxBytes: 40 });
    const prefix = newPrefix();
    for (const start of [1, 2, 3]) {
      const writer = await capped.writer(prefix);
      await writer.step('train');
      for (let number = start; number < 60; number += 1)
        await writer.append(line(`line ${number}`, `2024-01-01T00:00:${String(number).padStart(2, '0')}Z`));
      await writer.flush();
    }
    await (await capped.writer(prefix)).finish({ exitCode: 1, failure: 'Timeout: m' });
    const mark = 'WARNING the log is cut here: it has more than 40 bytes\n';
    expect(await text(prefix)).toBe(
      `INFO === train\nline 1\nline 2\nline 3\nline 4\n${mark}INFO train ended\nERROR failed: Timeout: m\n`,
    );
  });

  test('the tail is the last 50 lines, over chunks', async () => {
    const prefix = newPrefix();
    const writer = await logs.writer(prefix);
    for (let number = 1; number <= 60; number++) {
      await writer.append(line(String(number)));
      if (number % 7 === 0) await writer.flush();
    }
    const expected = Array.from({ length: 50 }, (_, index) => String(index + 11)).join('\n');
    expect((await writer.finish()).tail).toBe(expected);
  });

  test.each([1, 7, 1_000])('a new writer goes on exactly, with %i lines in one second', async (perSecond) => {
    const prefix = newPrefix();
    const engine = engineLog(100, perSecond);
    // Each writer dies after some lines; what it had not flushed is lost with it.
    for (const survives of [0, 1, 20, 33]) {
      const writer = await logs.writer(prefix);
      await writer.step('setup');
      await writer.append(line('of an attempt', '2023-12-31T00:00:00Z'));
      await writer.step('train');
      for (const next of engine.after(writer.position).slice(0, survives)) await writer.append(next);
      await writer.flush();
    }
    const last = await logs.writer(prefix);
    await last.step('setup');
    await last.append(line('of an attempt', '2024-06-01T00:00:00Z'));
    await last.step('train');
    for (const next of engine.after(last.position)) await last.append(next);
    await last.finish({ exitCode: 0 });
    expect(await text(prefix)).toBe(
      `INFO === setup\nof an attempt\nINFO setup ended\nINFO === train\n${engine.text}INFO train ended\n`,
    );
  });

  test('two writers of one source double and lose nothing', async () => {
    const prefix = newPrefix();
    const engine = engineLog(200, 9);
    const race = async (size: number) => {
      const writer = await logs.writer(prefix);
      await writer.step('train');
      for (const [index, next] of engine.after(writer.position).entries()) {
        await writer.append(next);
        if (index % size === size - 1) await writer.flush();
      }
      await writer.finish({ exitCode: size });
    };
    await Promise.all([race(7), race(11)]);
    expect(await text(prefix)).toBe(`INFO === train\n${engine.text}INFO train ended\n`);
    expect([7, 11]).toContain((await logs.end(prefix))?.exitCode);
  });

  test('a late writer of an ended log changes nothing', async () => {
    const prefix = newPrefix();
    const sleepy = await logs.writer(prefix);
    await sleepy.append(line('one'));
    await sleepy.flush();
    const writer = await logs.writer(prefix);
    await writer.finish({ exitCode: 0 });
    await sleepy.append(line('two', '2024-01-01T00:00:01Z'));
    expect(await sleepy.finish({ exitCode: 9 })).toEqual({ exitCode: 0, tail: 'one' });
    const again = await logs.writer(prefix);
    await again.append(line('three'));
    expect(await again.finish({ exitCode: 9 })).toEqual({ exitCode: 0, tail: 'one' });
    expect(await text(prefix)).toBe('one\n');
  });

  test('a follower begins before the log does and ends with it', async () => {
    const prefix = newPrefix();
    const followed = text(prefix, true);
    const writer = await logs.writer(prefix);
    for (let number = 0; number < 5; number++) {
      await writer.append(line(`line ${number}`));
      await writer.flush();
    }
    await writer.finish();
    expect(await followed).toBe('line 0\nline 1\nline 2\nline 3\nline 4\n');
  });

  test('a follower stops on its signal', async () => {
    const stop = new AbortController();
    const followed = text(newPrefix(), true, stop.signal);
    setTimeout(() => stop.abort(), 30);
    expect(await followed).toBe('');
  });

  test('an outage loses no line: the writer keeps it, the follower waits', async () => {
    const prefix = newPrefix();
    let down = false;
    const refuse = () => {
      if (down) throw new SlipwayError('unavailable', 'down');
    };
    const shaky = createLogs({
      objects: {
        ...objects,
        put: async (...put) => (refuse(), objects.put(...put)),
        read: async (key) => (refuse(), objects.read(key)),
      },
      pollMs: 10,
      flushMs: 10,
    });
    const writer = await shaky.writer(prefix);
    let followed = '';
    const follower = (async () => {
      for await (const piece of shaky.read(prefix, { follow: true })) followed += piece;
    })();
    await writer.append(line('before'));
    await writer.flush();
    down = true;
    await writer.append(line('during'));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(text(prefix)).resolves.toBe('before\n');
    down = false;
    await writer.append(line('after'));
    await writer.finish();
    await follower;
    expect(followed).toBe('before\nduring\nafter\n');
  });

  test('a log does not hold those below it; removing it removes them', async () => {
    const prefix = newPrefix();
    for (const [at, word] of [
      [prefix, 'own'],
      [`${prefix}replica-1/`, 'below'],
    ] as const) {
      const writer = await logs.writer(at);
      await writer.append(line(word));
      await writer.finish();
    }
    expect(await text(prefix)).toBe('own\n');
    await logs.remove(prefix);
    expect(await logs.exists(prefix)).toBe(false);
    expect(await logs.exists(`${prefix}replica-1/`)).toBe(false);
  });
}
