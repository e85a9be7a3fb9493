import { join } from 'node:path';
import {
  AccountSASPermissions,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
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

/** The address of the account with a signature of an hour, as a connection has it. */
export function signedAddress(endpoint: string): string {
  const sas = generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.now() + 3_600_000),
      permissions: AccountSASPermissions.parse('rwdlac'),
      services: 'b',
      resourceTypes: 'sco',
    },
    new StorageSharedKeyCredential(ACCOUNT.account, ACCOUNT.key),
  );
  return `${endpoint}?${String(sas)}`;
}
