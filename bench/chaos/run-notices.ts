import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack } from '../../stack/stack.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { type Level, runCampaign } from './campaign.js';
import { createStrike } from './parts.js';
import { toTable } from './table.js';

export interface NoticesOptions {
  notices: number;
  level: Level;
  concurrency: number;
  seed: number;
  /** Milliseconds; 0 kills nothing. */
  killEvery: number;
  plainHttp?: true;
}

/** Runs a campaign of notices on an embedded stack of its own, and prints its figures. @returns whether every bar holds */
export async function runNotices(
  { notices, level, concurrency, seed, killEvery, plainHttp }: NoticesOptions,
  { signal, report }: { signal: AbortSignal; report: (line: string) => void },
): Promise<boolean> {
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
  const stopped = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('stopped'))),
  );
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
    const command = `npm run chaos -- notices --notices ${notices} --level ${level} --concurrency ${concurrency} --seed ${seed} --kill-every ${killEvery / 1_000}s`;
    console.log(`\n${command}\n\n${text}`);
    return holds;
  } finally {
    await platform.stop();
    await resetStack({ stateDir, report });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes a certificate for 127.0.0.1 that only this run trusts. */
async function makeCertificate(place: string): Promise<{ key: string; cert: string; file: string }> {
  const [keyFile, file] = [join(place, 'key.pem'), join(place, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await execa('openssl', ['req', ...kind, ...names, '-keyout', keyFile, '-out', file]);
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(file, 'utf8'), file };
}
