import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE } from '../../test/e2e/hostile/reference.js';
import { type Answer, createSender, type HostileRequest } from '../../test/e2e/hostile/request.js';
import { RESOURCES } from '../../test/e2e/hostile/resources.js';
import { sendBytes, WIRE_REQUESTS } from '../../test/e2e/hostile/wire-requests.js';
import { writeResult } from '../report.js';
import { mebibytes } from '../scale/processes.js';
import { machineLoad, type Scene, withScene } from '../scale/scene.js';

const ROUNDS = 4;
const BAR_MIB = 50;
const PROCESSES = ['api', 'gateway', 'worker', 'uploader'];
/** After a round, until the processes have released what its requests held. */
const REST_MS = 5_000;

await withScene({ settings: () => ({ SLIPWAY_API_RATE: '100000', SLIPWAY_DATA_RATE: '100000' }) }, measure);
process.exit();

/** Sends the hostile tables to a whole platform; the first round loads what later rounds use again. */
async function measure(scene: Scene): Promise<void> {
  await prepare(scene);
  const { SLIPWAY_BASE_URL: baseUrl } = scene.platform.settings;
  const { authorization } = (await scene.login()).headers;
  const requests = [...RESOURCES, ...REFERENCE];
  const escaped = new Set<string>();
  let before: Record<string, number> = {};
  for (let round = 0; round <= ROUNDS; round += 1) {
    const sender = createSender(baseUrl, authorization);
    for (const row of requests) if (!(await isRefused(sender.send(row), row))) escaped.add(row.name);
    await sender.close();
    const port = Number(new URL(baseUrl).port);
    for (const { name, bytes, status } of WIRE_REQUESTS) {
      // A server that closes while bytes still come may reset the connection before its answer is read.
      const got = await sendBytes(port, bytes).catch(() => '');
      if (got !== '' && !got.startsWith(`HTTP/1.1 ${status} `)) escaped.add(name);
    }
    await sleep(REST_MS);
    if (round === 0) before = await memory(scene);
  }
  const after = await memory(scene);
  const table = PROCESSES.map((name) => {
    const growth = (after[name] ?? 0) - (before[name] ?? 0);
    return { process: name, 'resident before, MiB': before[name], growth, bar: BAR_MIB, reached: growth <= BAR_MIB };
  });
  console.table(table);
  const inputs = (requests.length + WIRE_REQUESTS.length) * ROUNDS;
  console.log(`${inputs} hostile inputs in ${ROUNDS} rounds; not refused as their table says: ${escaped.size}`);
  for (const name of escaped) console.log(`- ${name}`);
  await writeResult('hostile', { inputs, escaped: [...escaped], table, load: machineLoad() });
}

/** The resources that the tables name. */
async function prepare(scene: Scene): Promise<void> {
  const client = await scene.login();
  const code = { type: 'git', uri: 'https://example.org/code.git' };
  const rows = { type: 'object-store', uri: 'gs://slipway/rows' };
  await client.call('POST', '/api/v1/connection', { id: 'code', spec: code });
  await client.call('POST', '/api/v1/connection', { id: 'rows', spec: rows });
  const fields = { name: { type: 'text', required: true }, level: { type: 'integer' } };
  await client.call('PUT', '/v2/datasets/rows', { kind: 'Dataset', id: 'rows', spec: { fields } });
}

async function isRefused(sent: Promise<Answer>, { status, says }: HostileRequest): Promise<boolean> {
  const answer = await sent.catch(() => undefined);
  return answer?.status === status && answer.text.includes(says);
}

async function memory(scene: Scene): Promise<Record<string, number>> {
  const pids = await scene.pids();
  return Object.fromEntries(PROCESSES.flatMap((name) => (pids[name] ? [[name, mebibytes(pids[name])]] : [])));
}
