import { expect, test } from 'vitest';
import { runSteps, type Step } from '../../stack/steps.js';

type Name = 'first' | 'second' | 'third';

function recorded() {
  const lines: string[] = [];
  return { lines, report: (line: string) => void lines.push(line) };
}

test('a step waits for its needs, wherever it is in the list', async () => {
  const order: string[] = [];
  const step = (name: Name, needs: Name[]): Step<Name> => ({
    name,
    needs,
    run: async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      return 'done';
    },
  });
  await runSteps([step('third', ['second']), step('second', ['first']), step('first', [])], recorded());
  expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
});

test('independent steps run side by side', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const steps: Step<Name>[] = [
    { name: 'first', needs: [], run: async () => gate.then(() => 'let through') },
    {
      name: 'second',
      needs: [],
      run: async () => {
        open();
        return 'opened';
      },
    },
  ];
  const { lines, report } = recorded();
  await runSteps(steps, { report });
  expect(lines).toHaveLength(2);
});

test('each line tells the time since the start, the step, what it did and how long', async () => {
  const times = [0, 1_000, 3_500, 3_500];
  const { lines, report } = recorded();
  await runSteps<Name>([{ name: 'first', needs: [], run: async () => 'built it' }], {
    report,
    now: () => times.shift() ?? 3_500,
  });
  expect(lines).toEqual(['[   3.5 s] first  built it (2.5 s)']);
});

test('the first failure is thrown, stops the others, and starts nothing more', async () => {
  let thirdRan = false;
  const steps: Step<Name>[] = [
    { name: 'first', needs: [], run: async () => Promise.reject(new Error('port 1 is in use')) },
    {
      name: 'second',
      needs: [],
      run: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
        ),
    },
    {
      name: 'third',
      needs: ['first'],
      run: async () => {
        thirdRan = true;
        return 'ran';
      },
    },
  ];
  await expect(runSteps(steps, recorded())).rejects.toThrow('port 1 is in use');
  expect(thirdRan).toBe(false);
});

test('steps that are ended from outside come to rest, and the reason is thrown', async () => {
  const ending = new AbortController();
  const rested: Name[] = [];
  const steps: Step<Name>[] = (['first', 'second'] as const).map((name) => ({
    name,
    needs: [],
    run: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      rested.push(name);
      return 'done';
    },
  }));
  const notBegun: Step<Name> = { name: 'third', needs: ['first'], run: async () => Promise.reject(new Error('begun')) };
  const running = runSteps([...steps, notBegun], { ...recorded(), signal: ending.signal });
  await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
  expect(rested).toEqual(['first', 'second']);
});
