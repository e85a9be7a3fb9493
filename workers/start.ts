import { once } from 'node:events';
import { startPlatform } from './compose/platform.js';

const PARENT_POLL_MS = 500;

process.umask(0o077);
const ending = new AbortController();
const end = (why: string): void => {
  if (ending.signal.aborted) return; // npm repeats the Ctrl-C that the terminal has sent already
  console.log(`stopping: ${why}`);
  ending.abort();
};
const describe = (err: unknown): unknown => (err instanceof Error ? err.message : err);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
// A terminal that is gone must not cut the stop short.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
if (process.env.npm_lifecycle_event !== undefined) {
  // npm passes on some signals only, and none when it is killed.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end('npm is gone');
  }, PARENT_POLL_MS).unref();
}

try {
  const platform = await startPlatform({ environment: process.env, report: console.log, signal: ending.signal });
  const { SLIPWAY_BASE_URL, SLIPWAY_TEMPORAL_UI_URL, OIDC_ISSUER } = platform.settings;
  console.log(`
Slipway is up. Ctrl-C stops it.
  front door     ${SLIPWAY_BASE_URL}
  API and login  ${SLIPWAY_BASE_URL}/swagger/index.html
  catalog        ${SLIPWAY_BASE_URL}/service-catalog/swagger/index.html
  every run      ${SLIPWAY_TEMPORAL_UI_URL}
  tokens         ${OIDC_ISSUER}/token
`);
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  await platform.stop();
} catch (err) {
  if (!ending.signal.aborted || err !== ending.signal.reason) {
    console.error(describe(err));
    process.exitCode = 1;
  }
}
process.exit();
