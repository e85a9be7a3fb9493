import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { execa } from 'execa';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { parseDuration } from '../../platform/kinds/duration.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack } from '../../stack/stack.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { type Level, LEVELS, runCampaign } from './campaign.js';
import { createStrike, PARTS } from './parts.js';
import { toTable } from './table.js';

const report = (line: string): void => console.error(line);

const options = new Command('npm run chaos --')
  .description(
    `Delivers notices to a receiver at which everything goes wrong, on an embedded stack of its own whose ${PARTS.join(', ')} are killed in turn, and compares in the end.`,
  )
  .option('--notices <count>', 'how many changes are delivered', parseCount, 2_000)
  .addOption(new Option('--level <level>', 'what the receiver can do').choices(LEVELS).default('L2'))
  .option('--concurrency <count>', 'how many are sent at once', parseConcurrency, 32)
  .option('--seed <number>', 'of the faults', parseCount, 7)
  .option('--kill-every <duration>', 'such as 5s; 0s kills nothing', parsePause, 5_000)
  .option('--plain-http', 'leave TLS and its faults out')
  .parse()
  .opts<{ notices: number; level: Level; concurrency: number; seed: number; killEvery: number; plainHttp?: true }>();

const { notices, level, concurrency, seed, killEvery, plainHttp } = options;
const folder = await mkdtemp(join(tmpdir(), 'slipway-chaos-'));
const stateDir = join(folder, 'state');
const certificate = plainHttp ? undefined : await makeCertificate(folder);
const base = await findFreePortBase();
const environment = {
  ...process.env,
  SLIPWAY_STATE_DIR: stateDir,
  SLIPWAY_PORT_BASE: String(base),
  SLIPWAY_WEBHOOK_PRIVATE: 'true',
  ...(certificate && { NODE_EXTRA_CA_CERTS: certificate.file }),
};
const platform = await startPlatform({ environment, report });
const stopped = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error('stopped')));
});
try {
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const running = runCampaign({
    client: createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token }),
    ...{ database, level, notices, concurrency, seed, report, name: `${Date.now()}` },
    oracleFile: join(folder, 'effects.ndjson'),
    ...(certificate && { tls: certificate }),
    ...(killEvery > 0 && { kill: { everyMs: killEvery, strike: createStrike(platform) } }),
    limitMs: 600_000 + notices * 50,
  });
  const campaign = await Promise.race([running, stopped]);
  await database.close();
  const { text, holds } = toTable(level, campaign);
  const command = `npm run chaos -- --notices ${notices} --level ${level} --concurrency ${concurrency} --seed ${seed} --kill-every ${killEvery / 1_000}s`;
  console.log(`\n${command}\n\n${text}`);
  process.exitCode = holds ? 0 : 1;
} finally {
  await platform.stop();
  await resetStack({ stateDir, report });
  await rm(folder, { recursive: true, force: true });
}
process.exit();

/** Makes a certificate for 127.0.0.1 that only this run trusts. */
async function makeCertificate(place: string): Promise<{ key: string; cert: string; file: string }> {
  const [keyFile, file] = [join(place, 'key.pem'), join(place, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await execa('openssl', ['req', ...kind, ...names, '-keyout', keyFile, '-out', file]);
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(file, 'utf8'), file };
}

function parseCount(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('a whole number');
  return Number(text);
}

function parseConcurrency(text: string): number {
  if (!/^([1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 100');
  return Number(text);
}

function parsePause(text: string): number {
  const ms = parseDuration(`PT${text.toUpperCase()}`);
  if (ms === undefined) throw new InvalidArgumentError('a time such as 5s');
  return ms;
}
