import { expect, test } from 'vitest';
import { followProgress } from '../../../platform/engines/docker/progress.js';
import { refusalOf } from '../../../platform/engines/refusal.js';

async function* stream(events: object[], size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\r\n`).join(''));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const DIGEST = `sha256:${'0f'.repeat(32)}`;
const push = { doing: 'push image "iris"', reason: 'PushFailed' } as const;

test.each([
  ['docker, as data', { aux: { Tag: '1', Digest: DIGEST, Size: 737 } }],
  ['podman, as text', { status: `1: digest: ${DIGEST} size: 737` }],
])('the digest of a push: %s', async (_, event) => {
  expect(await followProgress(stream([{ status: 'The push refers to ...' }, event]), push)).toEqual({ digest: DIGEST });
});

test.each([
  ['docker', { error: 'denied: no access', errorDetail: { message: 'denied: no access' } }],
  ['without detail', { error: 'denied: no access\n' }],
])('an error inside the stream is a failure: %s', async (_, event) => {
  const lines: string[] = [];
  const following = followProgress(stream([{ stream: 'step 1\nstep 2\n' }, event, { status: 'after' }]), {
    ...push,
    log: (line) => lines.push(line),
  });
  const failure = await following.catch((err: unknown) => err);
  expect(failure).toMatchObject({
    code: 'run_failed',
    message: 'engine could not push image "iris": denied: no access',
  });
  expect(refusalOf(failure)).toEqual({ reason: 'PushFailed', logTail: 'step 1\nstep 2\ndenied: no access' });
  expect(lines).toEqual(['step 1', 'step 2', 'denied: no access']);
});

test('bars of progress stay out of the log, characters of many bytes come whole', async () => {
  const lines: string[] = [];
  const events = [
    { status: 'Pushing', progress: '[=> ]', id: 'abc' },
    { status: 'Pushed', id: 'abc' },
    { stream: 'grün €\n' },
  ];
  await followProgress(stream(events, 3), { ...push, log: (line) => lines.push(line) });
  expect(lines).toEqual(['abc: Pushed', 'grün €']);
});
