import { expect, onTestFinished, test } from 'vitest';
import { createFindOutages } from '../../../api/http/outages.js';
import { parseSettings, type Settings } from '../../../config.js';
import { BACKING_SERVICES } from '../../../platform/kinds/outage.js';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { openServiceProbes } from '../../../workers/compose/service-probes.js';
import { createTemporalClient } from '../../../workers/compose/temporal.js';
import { startWire } from '../../e2e/wire.js';

/** Probes of the services at these addresses; the database is reached over a wire that can be cut. */
async function open(environment: Record<string, string | undefined>) {
  const settings: Settings = parseSettings(environment);
  const wire = await startWire(settings.MONGODB_URI);
  const database = await connectDatabase(wire.address, settings.SLIPWAY_DATABASE);
  const client = createTemporalClient(settings);
  const objects = createGcsObjects({ bucket: settings.SLIPWAY_BUCKET, apiEndpoint: settings.STORAGE_API_ENDPOINT });
  onTestFinished(async () => {
    await Promise.all([database.close(), client.connection.close(), wire.remove()]);
  });
  return { wire, find: createFindOutages(openServiceProbes({ settings, database, objects, client })) };
}

test('no service of the stack is down', async () => {
  const { find } = await open(process.env);
  expect(await find()).toEqual([]);
});

test('services that are away are all named, with reasons that hold no address', async () => {
  const away = '127.0.0.1:9';
  const { wire, find } = await open({
    ...process.env,
    ...{ TEMPORAL_ADDRESS: away, SLIPWAY_REGISTRY: `${away}/slipway`, DOCKER_HOST: 'unix:///nowhere.sock' },
    ...{ OIDC_ISSUER: `http://${away}`, STORAGE_API_ENDPOINT: `http://${away}` },
  });
  await wire.cut();
  const began = performance.now();
  const outages = await find();
  expect(outages.map(({ name }) => name)).toEqual(BACKING_SERVICES);
  expect(JSON.stringify(outages)).not.toMatch(/127\.|nowhere/);
  expect(performance.now() - began).toBeLessThan(2_000 * BACKING_SERVICES.length);
});
