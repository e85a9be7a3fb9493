import { execa } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { findFreePortBase } from '../../stack/ports.js';

export interface BenchServer {
  address: string;
  stop(): Promise<void>;
}

/** A development server of its own with these further arguments, its data in `folder`. */
export async function startServer(binary: string, folder: string, args: readonly string[]): Promise<BenchServer> {
  const port = await findFreePortBase();
  const address = `127.0.0.1:${port}`;
  const base = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--log-level',
    'error',
  ];
  const server = execa(binary, [...base, '--db-filename', `${folder}/temporal.db`, ...args], {
    reject: false,
    stdio: 'ignore',
  });
  for (let attempt = 0; ; attempt += 1) {
    const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => undefined);
    await connection?.close();
    if (connection) break;
    if (attempt > 30) throw new Error(`no Temporal server at ${address}`);
    await sleep(500);
  }
  return {
    address,
    async stop() {
      server.kill('SIGTERM');
      await server;
    },
  };
}
