import { createProject, trainingSpec } from '../projects.js';
import type { TestPlatform } from '../platform.js';
import type { RunEntity } from '../run-state.js';
import { untilState } from '../run-state.js';
import { until } from '../until.js';
import { ARTIFACTS } from './artifacts.js';
import { IMPORTS } from './imports.js';
import { type Answer, createSender, type HostileRequest } from './request.js';
import { PROGRAMS, SOURCES } from './trainings.js';
import { sendBytes, WIRE_REQUESTS } from './wire-requests.js';

/** A row that was not refused as its table says; `got` is for the eyes of a person. */
export interface Escape {
  name: string;
  got: string;
}

const TARGETS = [{ name: 'container-push', connectionName: 'docker-ci' }];

/** Creates what the tables name: a repository, a bucket with rows, and a dataset. */
export async function prepare({ admin, environment }: TestPlatform): Promise<void> {
  await admin.create('/connection', 'code', { type: 'git', uri: 'https://example.org/code.git' });
  await admin.create('/connection', 'rows', {
    type: 'object-store',
    uri: `gs://${environment.SLIPWAY_BUCKET}/rows`,
  });
  const fields = { name: { type: 'text', required: true }, level: { type: 'integer' } };
  await admin.call('PUT', '/v2/datasets/rows', { kind: 'Dataset', id: 'rows', spec: { fields } });
}

export async function sendRequests(
  { admin, baseUrl }: TestPlatform,
  rows: readonly HostileRequest[],
): Promise<Escape[]> {
  const sender = createSender(baseUrl, admin.headers.authorization);
  const escapes: Escape[] = [];
  for (const row of rows) {
    const { status, text } = await sender.send(row).catch((err: unknown): Answer => ({ status: 0, text: String(err) }));
    if (status === row.status && text.includes(row.says)) continue;
    escapes.push({ name: row.name, got: `${status} ${text.slice(0, 300)}` });
  }
  await sender.close();
  return escapes;
}

export async function sendAllBytes({ baseUrl }: TestPlatform): Promise<Escape[]> {
  const port = Number(new URL(baseUrl).port);
  const answers = await Promise.all(
    WIRE_REQUESTS.map(async ({ name, bytes, status }) => {
      const got = await sendBytes(port, bytes);
      // A second answer would be to a request that was smuggled in.
      const isRefused = status === 'none' ? got === '' : got.startsWith(`HTTP/1.1 ${status} `);
      return isRefused && got.split('HTTP/1.1 ').length <= 2 ? [] : [{ name, got: got.slice(0, 300) }];
    }),
  );
  return answers.flat();
}

export async function importAll({ admin, baseUrl }: TestPlatform): Promise<Escape[]> {
  const { authorization } = admin.headers;
  const escapes: Escape[] = [];
  for (const { name, type, body, says } of IMPORTS) {
    const headers = { authorization, 'content-type': type };
    const reply = await fetch(`${baseUrl}/v2/rows/imports`, { method: 'POST', headers, body: body() });
    const { id } = (await reply.json()) as { id: string };
    const ended = await until(`import of ${name}`, async () => {
      const { status } = (await admin.call<{ status: { state: string } }>('GET', `/v2/rows/imports/${id}`)).body;
      return ['succeeded', 'failed'].includes(status.state) && status;
    });
    const got = JSON.stringify(ended);
    if (ended.state !== 'failed' || !got.includes(says)) escapes.push({ name, got: got.slice(0, 300) });
  }
  return escapes;
}

/** The end of a run that had to fail with this reason. */
function judgeEnd(row: { name: string; reason: string; says: string }, { status }: RunEntity): Escape[] {
  const { state, reason, message = '' } = status;
  if (state === 'failed' && reason === row.reason && message.includes(row.says)) return [];
  return [{ name: row.name, got: `${state} ${reason} ${message.slice(0, 300)}` }];
}

export async function packageAll(platform: TestPlatform): Promise<Escape[]> {
  const ends = ARTIFACTS.map(async (row, at) => {
    const artifactName = `hostile/${at}.zip`;
    await platform.objects.put(artifactName, await row.bytes());
    const spec = { artifactName, integrationName: 'container-rest', targets: TARGETS };
    await platform.admin.create('/model/packaging', `artifact-${at}`, spec);
    return judgeEnd(row, await untilState(platform, '/model/packaging', `artifact-${at}`, ['failed', 'succeeded']));
  });
  return (await Promise.all(ends)).flat();
}

export async function trainOnSources(platform: TestPlatform): Promise<Escape[]> {
  const connection = await createProject(platform, 'print("trained")');
  const ends = SOURCES.map(async (row, at) => {
    const algorithmSource = { vcs: { connection, reference: row.reference } };
    await platform.admin.create('/model/training', `source-${at}`, { ...trainingSpec(''), algorithmSource });
    return judgeEnd(row, await untilState(platform, '/model/training', `source-${at}`, ['failed', 'succeeded']));
  });
  return (await Promise.all(ends)).flat();
}

/** @param isFull as long as it takes, and not for a suite that many wait for */
export async function runPrograms(platform: TestPlatform, isFull: boolean): Promise<Escape[]> {
  const ends = PROGRAMS.map(async (row, at) => {
    const connection = await createProject(platform, row.code(isFull));
    const id = `program-${at}`;
    await platform.admin.create('/model/training', id, trainingSpec(connection, { name: id }));
    const states = ['failed', 'succeeded'];
    const end = await untilState(platform, '/model/training', id, states, isFull ? 3_600 : 600);
    const log = await platform.admin.text(`/api/v1/model/training/${id}/log`);
    if (log.length > 3 * 2 ** 20) return [{ name: row.name, got: `a log of ${log.length} characters` }];
    return judgeEnd(row, end);
  });
  return (await Promise.all(ends)).flat();
}
