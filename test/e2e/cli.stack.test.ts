import { afterAll, beforeAll, expect, test } from 'vitest';
import { begin } from '../cli/begin.js';
import { createSlipwayRunner, type SlipwayRunner } from '../cli/slipway.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL } from './projects.js';
import { until } from './until.js';

let platform: TestPlatform;
let slipway: SlipwayRunner;
let code: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  slipway = await createSlipwayRunner({});
  code = await createProject(platform, SMALL_MODEL);
}, 600_000);
afterAll(async () => {
  await slipway.remove();
  await platform.stop();
});

const manifest = (id: string) => `
kind: ModelPipeline
id: ${id}
spec:
  training:
    model: { name: ${id}, version: "1.{{ run }}" }
    toolchain: ml-toolchain
    algorithmSource: { vcs: { connection: ${code} } }
  packaging:
    integrationName: container-rest
    targets: [{ name: container-push, connectionName: docker-ci }]
  deployment: { id: ${id}, spec: { predictor: platform-ml-server, minReplicas: 1 } }
  gates: { approval: { required: true } }
  triggers: { schedule: { cron: "0 3 1 1 *", timeZone: Europe/Paris } }
`;

test('from a login to traffic, and from an answer back to its run, by the command line alone', async () => {
  const id = platform.newId('cli');
  const run = async (...args: string[]) => {
    const ended = await slipway.run(args);
    expect([args, ended.exitCode, ended.err]).toEqual([args, 0, expect.anything()]);
    return ended;
  };
  await slipway.run(['login', '--server', platform.baseUrl, '--client-id', 'demo-admin', '--client-secret-stdin'], {
    stdin: 'demo-admin-secret\n',
  });
  expect((await run('whoami', '-o', 'json')).out).toContain('"admin"');
  const file = await slipway.file(manifest(id));
  expect((await run('apply', '-f', file)).out).toBe(`pipeline/${id} created\n`);
  expect((await run('schedule', 'pause', id, '--note', 'not yet')).err).toContain('paused by ');
  const next = async () => JSON.parse((await run('schedule', 'next', id, '-o', 'json')).out);
  expect(await next()).toMatchObject({ paused: true, note: 'not yet', next: [] });
  expect((await run('schedule', 'resume', id)).err).toContain('next at ');
  expect((await next()).next[0]).toMatch(/-01-01T02:00:00/);

  const first = begin(slipway, ['pipeline', 'run', id, '--wait']);
  await first.until(`slipway approve ${id}-1 --reason ...`, 240);
  await run('approve', `${id}-1`, '--reason', 'it answers well');
  const { exitCode, out, err } = await first.ended;
  expect([exitCode, out]).toEqual([0, expect.stringMatching(new RegExp(`/${id}-1\\.1:[0-9a-f-]+\\n$`))]);
  for (const step of ['training  step train', 'packaging  step build', 'deployment  succeeded']) {
    expect(err).toContain(`run/${id}-1 ${step}`);
  }
  expect((await run('describe', 'run', `${id}-1`)).out).toMatch(/approval +approved by .*: it answers well\n/);

  const answer = await run('invoke', id, '-d', '{"columns": ["x"], "data": [[10]]}');
  const [, requestId = ''] = /request (\S+)/.exec(answer.err) ?? [];
  const lineage = await until('the call to be known', async () => {
    const known = await slipway.run(['lineage', 'request', requestId]);
    return known.exitCode === 0 && known.out;
  });
  expect(lineage).toMatch(new RegExp(`└─ deployment ${id} .*\\n(.*\\n)*.*pipeline-run ${id}-1  succeeded`));
  expect(lineage).toMatch(
    new RegExp(`training ${id}-1  succeeded  ${id}:1\\.1 .*answer=42\\n.*commit [0-9a-f]{12}\\n`),
  );

  const record = await run('record', requestId);
  expect(record.out).toMatch(/ {2}request +\{"columns":.*\n {2}response +\{"prediction":/);

  // All of it is reused, so a person is asked again at once.
  const second = begin(slipway, ['pipeline', 'run', id, '--wait']);
  await second.until(`slipway approve ${id}-2 --reason ...`, 240);
  await run('reject', `${id}-2`, '--reason', 'nothing is new');
  const rejected = await second.ended;
  expect([rejected.exitCode, rejected.out]).toEqual([1, '']);
  expect(rejected.err).toContain(`run/${id}-2 training  succeeded  reused training/${id}-1`);
  expect(rejected.err).toMatch(new RegExp(`run/${id}-2 failed after .*: Rejected: rejected by .*: nothing is new`));
  expect((await run('get', 'runs', '--filter', `pipeline=${id}`, '-o', 'name')).out).toBe(`run/${id}-2\nrun/${id}-1\n`);

  const used = await slipway.run(['delete', 'connection', code]);
  expect([used.exitCode, used.err]).toEqual([5, expect.stringContaining(`is in use by ModelPipeline ${id}`)]);
  await run('delete', 'deployment', id);
  await run('delete', '-f', file);
  await run('delete', 'connection', code);
}, 600_000);
