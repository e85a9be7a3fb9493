import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { entryPoint } from '../../workers/compose/supervisor.js';
import { findTestPortBase } from '../stack/port-base.js';

async function startApi(environment: Record<string, string>) {
  const port = await findTestPortBase();
  const env = {
    ...{ PATH: process.env.PATH, SLIPWAY_API_PORT: String(port), SLIPWAY_API_INTERNAL_PORT: String(port + 1) },
    ...environment,
  };
  const api = spawn(process.execPath, await entryPoint('api'), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void api.kill('SIGKILL'));
  return { api, port, lines: createInterface(api.stdout) };
}

test('an API that starts while the database is away waits, says why, and ends at once when it is asked to', async () => {
  const { api, port, lines } = await startApi({ MONGODB_URI: 'mongodb://127.0.0.1:1' });
  const reason = 'the start waits for the database: connect ECONNREFUSED 127.0.0.1:1';
  for await (const line of lines) if (line.includes(reason)) break;
  const reply = await fetch(`http://127.0.0.1:${port + 1}/readyz`);
  expect([reply.status, await reply.json()]).toEqual([503, { message: reason }]);
  expect((await fetch(`http://127.0.0.1:${port + 1}/livez`)).status).toBe(200);
  expect(api.exitCode).toBeNull();
  api.kill('SIGTERM');
  expect(await once(api, 'exit')).toEqual([0, null]);
}, 60_000);

test('an API with a wrong URI of the database ends and names the setting', async () => {
  const { api, lines } = await startApi({ MONGODB_URI: 'localhost' });
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  expect(await once(api, 'exit')).toEqual([1, null]);
  expect(said.join('\n')).toContain('MONGODB_URI is invalid');
}, 60_000);
