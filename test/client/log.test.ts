import { expect, test } from 'vitest';
import { SlipwayApiError } from '../../client/index.js';
import { readLog, type LogOptions, type LogSource } from '../../client/log.js';

/** The text of one connection, and whether it breaks afterwards. */
interface Part {
  text: string;
  breaks?: boolean;
}
interface Scene {
  parts: (Part | Error)[];
  /** The state after each read: generation, and whether the run is over; the last one stays. */
  looks: ([number, boolean] | undefined)[];
  keepsGenerations?: boolean;
}

function scene({ parts, looks, keepsGenerations = false }: Scene) {
  const opened: number[] = [];
  const source: LogSource = {
    keepsGenerations,
    async look() {
      const [generation, isOver] = (looks.length > 1 ? looks.shift() : looks[0]) ?? [];
      return generation === undefined ? undefined : { generation, isOver: isOver ?? false };
    },
    async open({ generation }) {
      opened.push(generation);
      const part = parts.shift();
      if (part instanceof Error) throw part;
      const chunks = [...(part?.text.match(/[^]{1,5}/g) ?? [])];
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = chunks.shift();
          if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk));
          else if (part?.breaks) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      });
    },
  };
  return { source, opened };
}

async function read(given: Scene, options: LogOptions = {}) {
  const { source, opened } = scene(given);
  const lines: string[] = [];
  const troubles: unknown[] = [];
  const more = { pause: async () => undefined, onTrouble: (error: unknown) => void troubles.push(error), ...options };
  for await (const line of readLog(source, more)) lines.push(line);
  return { lines, opened, troubles };
}
const follow = { follow: true };

test('lines come whole, however the text is cut, and the last one also without a line break', async () => {
  const { lines } = await read({ parts: [{ text: 'one\nthe second line\n\nlast' }], looks: [[1, true]] });
  expect(lines).toEqual(['one', 'the second line', '', 'last']);
});

test('a connection that breaks within a line loses nothing and doubles nothing', async () => {
  const parts = [
    { text: 'a\nb\nhal', breaks: true },
    { text: 'a\nb\nhalf\nc\n', breaks: true },
    { text: 'a\nb\nhalf\nc\nd\n' },
  ];
  const { lines, troubles } = await read(
    {
      parts,
      looks: [
        [1, false],
        [1, false],
        [1, false],
        [1, true],
      ],
    },
    follow,
  );
  expect(lines).toEqual(['a', 'b', 'half', 'c', 'd']);
  expect(troubles).toHaveLength(2);
});

test('equal lines are distinguished by their number', async () => {
  const parts = [{ text: 'x\nx\n', breaks: true }, { text: 'x\nx\nx\n' }];
  expect(
    (
      await read(
        {
          parts,
          looks: [
            [1, false],
            [1, true],
          ],
        },
        follow,
      )
    ).lines,
  ).toEqual(['x', 'x', 'x']);
});

test('the longest follow of the server is not the end of the log', async () => {
  const parts = [{ text: 'a\nunfin' }, { text: 'a\nunfinished\nb\n' }];
  const { lines } = await read(
    {
      parts,
      looks: [
        [1, false],
        [1, false],
        [1, true],
      ],
    },
    follow,
  );
  expect(lines).toEqual(['a', 'unfinished', 'b']);
});

test('replicas are counted separately, as every read mixes their lines differently', async () => {
  const parts = [
    { text: '[r0] a\n[r1] a\n[r0] b\n', breaks: true },
    { text: '[r0] a\n[r0] b\n[r0] c\n[r1] a\n[r1] b\n' },
  ];
  const { lines } = await read({ parts, looks: [[1, false], [1, false], undefined], keepsGenerations: true }, follow);
  expect(lines).toEqual(['[r0] a', '[r1] a', '[r0] b', '[r0] c', '[r1] b']);
});

test('a deployment that is changed goes on with the log of its next generation, from its first line', async () => {
  const parts = [{ text: '[r0] a\n', breaks: true }, { text: '[r0] a\n[r0] z\n' }, { text: '[r0] a\n' }];
  const looks: Scene['looks'] = [[1, false], [2, false], [2, false], undefined];
  const { lines, opened } = await read({ parts, looks, keepsGenerations: true }, follow);
  expect(lines).toEqual(['[r0] a', '[r0] z', '[r0] a']);
  expect(opened).toEqual([1, 1, 2]);
});

test('a training that runs again ends the log of the previous run', async () => {
  const parts = [{ text: 'a\n', breaks: true }, { text: 'other\n' }];
  expect(
    (
      await read(
        {
          parts,
          looks: [
            [1, false],
            [2, false],
          ],
        },
        follow,
      )
    ).lines,
  ).toEqual(['a']);
});

test('a tail leaves out what stood before it, also after a break', async () => {
  const parts = [{ text: 'a\nb\nc\n' }, { text: 'a\nb\nc\nd\n', breaks: true }, { text: 'a\nb\nc\nd\ne\n' }];
  const { lines } = await read(
    {
      parts,
      looks: [
        [1, false],
        [1, false],
        [1, true],
      ],
    },
    { ...follow, tail: 1 },
  );
  expect(lines).toEqual(['c', 'd', 'e']);
});

test('a log that has not begun has no lines to leave out', async () => {
  const parts = [new SlipwayApiError('not_started', 'not yet', { status: 409 }), { text: 'a\n' }];
  expect(
    (
      await read(
        {
          parts,
          looks: [
            [1, false],
            [1, true],
          ],
        },
        { ...follow, tail: 5 },
      )
    ).lines,
  ).toEqual(['a']);
});

test('a refusal is no break; and a server that stays away ends the patience', async () => {
  const refusal = new SlipwayApiError('forbidden', 'Forbidden', { status: 403 });
  await expect(read({ parts: [refusal], looks: [[1, false]] }, follow)).rejects.toBe(refusal);
  const away = () => new SlipwayApiError('unreachable', 'away');
  let clock = 0;
  const now = () => (clock += 100);
  const parts = Array.from({ length: 50 }, away);
  await expect(read({ parts, looks: [[1, false]] }, { ...follow, now, patienceMs: 1_000 })).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.length).toBeLessThan(45);
});
