import { parseArgs } from 'node:util';
import { fetchToken } from '../wine/demo/client.js';
import { createDataClient } from './data-client.js';
import { REAL_PLACES, sample } from './sample.js';

const HELP = `npm run seed [-- options]   loads rows into locations, skills and positions through imports
  --url <url>       the platform: http://127.0.0.1:8080
  --issuer <url>    its OpenID issuer, for a token of the client demo-admin: http://127.0.0.1:9000
  --key <key>       an API key instead
  --rows <number>   places: ${REAL_PLACES.toLocaleString('en')} real ones; what is more is made up, the same every time`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    issuer: { type: 'string', default: 'http://127.0.0.1:9000' },
    key: { type: 'string' },
    rows: { type: 'string', default: String(REAL_PLACES) },
    help: { type: 'boolean', default: false },
  },
});

async function seed(): Promise<void> {
  const rows = Number(values.rows);
  if (!Number.isSafeInteger(rows) || rows < 1) throw new Error('--rows takes a number from 1 on');
  const credential: Record<string, string> =
    values.key === undefined
      ? { authorization: `Bearer ${await fetchToken(values.issuer, 'demo-admin', 'demo-admin-secret')}` }
      : { 'x-api-key': values.key };
  const client = createDataClient({ baseUrl: values.url, credential });
  for (const dataset of sample(rows)) {
    await client.declare(dataset);
    const began = performance.now();
    const { created, updated, unchanged, version_to } = await client.load(dataset, ({ state, rows_read }) => {
      console.log(
        `${dataset.name}: ${state}, ${rows_read.toLocaleString('en')} of ${dataset.rows.toLocaleString('en')}`,
      );
    });
    const seconds = (performance.now() - began) / 1_000;
    console.log(
      `${dataset.name}: ${created} created, ${updated} updated, ${unchanged} unchanged in ${seconds.toFixed(1)} s; ` +
        `version ${version_to ?? 'as before'}`,
    );
  }
}

if (values.help) console.log(HELP);
else {
  await seed().catch((err: unknown) => {
    const cause = err instanceof Error && err.cause instanceof Error ? `: ${err.cause.message}` : '';
    console.error(`${err instanceof Error ? err.message : String(err)}${cause}\nIs the platform running? npm start`);
    process.exitCode = 1;
  });
}
