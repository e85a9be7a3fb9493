import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from '../binaries.js';
import { ensureProcess } from '../service-process.js';
import type { Service } from '../service.js';

/** The system of record: FerretDB over SQLite files. */
export const mongodbService: Service = {
  name: 'mongodb',
  replacedBy: 'MONGODB_URI',
  needs: [],
  runs: 'detached',
  async start(context, tools) {
    const { stateDir, ports } = context;
    const address = `127.0.0.1:${ports.mongodb}`;
    const uri = `mongodb://${address}`;
    const folder = join(stateDir, 'mongodb');
    await mkdir(folder, { recursive: true });
    const how = await ensureProcess(
      {
        name: 'mongodb',
        command: await findBinary('ferretdb', context, tools),
        args: ['-listen', address, '-dir', folder],
        ports: [ports.mongodb],
        probe: () => ping(uri),
      },
      { stateDir, signal: tools.signal },
    );
    context.found.MONGODB_URI = uri;
    return `${how} at ${uri}`;
  },
};

async function ping(uri: string): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}
