import { afterAll, beforeAll, expect, test } from 'vitest';
import { execa } from 'execa';
import { newDeployment, newTraining } from '../activities/shared/resources.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi();
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
  for (const id of ['wine', 'iris']) await api.trainings.insert(newTraining(id));
  await api.deployments.insert(newDeployment('served'));
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});

const complete = async (...words: string[]) => {
  const { exitCode, out, err } = await slipway.run(['__complete', '--', ...words]);
  expect([exitCode, err]).toEqual([0, '']);
  return out.split('\n').flatMap((line) => line.split('\t')[0] || []);
};

// prettier-ignore
test.each<[string[], string[]]>([
  [['get', 'training', ''], ['iris', 'wine']],
  [['get', 'tr', 'wine', ''], ['iris', 'wine']],
  [['get', 'training/'], ['training/iris', 'training/wine']],
  [['delete', 'training/wine', 'tr/'], ['tr/iris', 'tr/wine']],
  [['describe', 'deployment', ''], ['served']],
  [['describe', 'deployment', 'served', ''], []],
  [['invoke', ''], ['served']],
  [['info', ''], ['served']],
  [['feedback', ''], ['served']],
  [['train', ''], ['iris', 'wine']],
  [['pack', 'new', '--from-training', ''], ['iris', 'wine']],
  [['deploy', 'new', '--from-packaging', ''], []],
  [['get', 'trainings', '-o', ''], ['table', 'wide', 'name', 'json', 'yaml', 'jsonpath=']],
  [['get', 'trainings', '--output', 'j'], ['table', 'wide', 'name', 'json', 'yaml', 'jsonpath=']],
  [['whoami', '-o', ''], ['table', 'json', 'yaml']],
  [['lineage', 'training', 'wine', '--direction', ''], ['upstream', 'downstream', 'both']],
  [['completion', ''], ['bash', 'zsh', 'fish']],
  [['apply', '-f', ''], [':files']],
  [['--config', ''], [':files']],
  [['invoke', 'served', '--filename', ''], [':files']],
  [['schedule', ''], ['next', 'pause', 'resume', 'trigger']],
  [['get', 'trainings', '--server', ''], []],
  [['get', 'unheard-of', ''], []],
  [['whoami', ''], []],
])('after %j the shell offers %j', async (words, offered) => {
  const found = await complete(...words);
  if (words[0] === 'get' && words[1] === 'unheard-of') expect(found.every((word) => word.endsWith('/'))).toBe(true);
  else expect(found.toSorted()).toEqual(offered.toSorted());
});

test('commands come with their descriptions, and none that only scripts call', async () => {
  const { out } = await slipway.run(['__complete', '--', '']);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(rows.every(([word, about]) => word !== '' && (about ?? '').length > 3)).toBe(true);
  expect(rows.map(([word]) => word)).toEqual(expect.arrayContaining(['login', 'apply', 'pipeline', 'completion']));
  expect(out).not.toContain('__complete');
});

test('options of the command and of the program are offered after a dash', async () => {
  const found = await complete('deploy', 'wine', '--r');
  expect(found).toEqual(expect.arrayContaining(['--image', '--replicas', '--wait', '--server', '--verbose']));
  expect(new Set(found).size).toBe(found.length);
});

test('kinds are offered as words for ids that follow, and as pairs after a pair', async () => {
  expect(await complete('get', '')).toEqual(expect.arrayContaining(['training', 'deployment', 'run']));
  expect(await complete('delete', 'training/wine', '')).toEqual(expect.arrayContaining(['training/', 'deployment/']));
});

test('an option that takes a value takes the next word, one with = has it already', async () => {
  expect(await complete('get', '-o', 'json', 'training', '')).toEqual(['iris', 'wine']);
  expect(await complete('get', '--output=json', 'training', '')).toEqual(['iris', 'wine']);
  expect(await complete('get', '--watch', 'training', '')).toEqual(['iris', 'wine']);
  expect(await complete('--server', api.url, 'get', 'training', '')).toEqual(['iris', 'wine']);
});

test.each([
  [{ SLIPWAY_TOKEN: 'nonsense' }],
  [{ SLIPWAY_SERVER: 'http://127.0.0.1:9' }],
  [{ SLIPWAY_SERVER: 'no address' }],
  [{ SLIPWAY_SERVER: '' }],
])('without a server that answers, a shell gets no ids and no error: %o', async (env: Record<string, string>) => {
  const ended = await slipway.run(['__complete', '--', 'get', 'training', ''], { env });
  expect(ended).toEqual({ exitCode: 0, out: '', err: '' });
});

test('a server that does not answer in time holds up no shell', async () => {
  const silence: typeof fetch = (input) =>
    new Promise((_resolve, reject) => {
      const signal = input instanceof Request ? input.signal : undefined;
      if (signal?.aborted) reject(signal.reason as Error);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const words = ['__complete', '--', 'get', 'training', ''];
  expect(await slipway.run(words, { fetch: silence, patienceMs: 10 })).toEqual({ exitCode: 0, out: '', err: '' });
});

test.each([['powershell'], []])('there is no script for %s', async (...args: string[]) => {
  expect(await slipway.run(['completion', ...args])).toMatchObject({ exitCode: 2, out: '' });
});

/** Presses tab in a bash whose `slipway` answers with these candidates. */
async function tab(words: readonly string[], candidates: string) {
  const { out: script } = await slipway.run(['completion', 'bash']);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const text = `
compopt() { echo "compopt $*"; }
slipway() { echo "asked: $*" >&2; printf '%b' '${candidates}'; }
${script.replace('2>/dev/null', '')}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
_slipway
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await execa('bash', ['-c', text]);
  return { offered: stdout.split('\n').filter(Boolean), asked: /^asked: (.*)$/m.exec(stderr)?.[1] };
}

test('bash asks with the words so far, and offers those that begin with the last one', async () => {
  const { offered, asked } = await tab(['slipway', 'get', 'training', 'w'], 'wine\\tof red\\niris\\nwhite\\n');
  expect([offered, asked]).toEqual([['wine', 'white'], '__complete -- get training w']);
});

test('bash completes files itself where a file is meant', async () => {
  expect((await tab(['slipway', 'apply', '-f', ''], ':files\\n')).offered).toContain('compopt -o default');
});

test.each(['zsh', 'fish'])('the script of %s calls the command, and holds no braces of JavaScript', async (shell) => {
  const { out } = await slipway.run(['completion', shell]);
  expect(out).toContain('slipway __complete --');
  expect(out).not.toContain('\\${');
});
