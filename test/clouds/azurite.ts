import { join } from 'node:path';
import { startServer } from './server.js';

/** The account that Azurite has from the start, with its published key. */
export const ACCOUNT = {
  account: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

/** A blob store of Azure in memory. @returns also the endpoint of its account */
export async function startAzurite() {
  const program = join(import.meta.dirname, '../../node_modules/azurite/dist/src/blob/main.js');
  const flags = ['--inMemoryPersistence', '--silent', '--disableTelemetry', '--skipApiVersionCheck'];
  const server = await startServer(process.execPath, (port) => [program, '--blobPort', String(port), ...flags]);
  return { ...server, endpoint: `${server.url}/${ACCOUNT.account}` };
}
