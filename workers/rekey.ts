import { parseSettings, type Settings } from '../config.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { createAudit } from '../platform/stores/audit.js';
import { connectDatabase } from '../platform/stores/mongo-database.js';
import { createResourceUpkeep } from '../platform/stores/resource-upkeep.js';
import type { AnyResource, Kind } from '../platform/kinds/resource.js';
import { createResources } from '../notifications/stores/resources.js';
import type { Connection } from '../lifecycle/kinds/connection.js';
import type { Pipeline } from '../lifecycle/kinds/pipeline.js';
import type { Subscription } from '../notifications/kinds/subscription.js';
import { rekey } from './compose/rekey.js';
import { toRekeyReport } from './compose/rekey-report.js';
import { openSecretBox } from './compose/secret-box.js';

// `slipway secrets rekey` starts it. Its settings are those of the environment.
try {
  const isDone = await rekeyInstallation(parseSettings(process.env));
  process.exit(isDone ? 0 : 1);
} catch (err) {
  console.error(err instanceof SlipwayError ? err.message : err);
  process.exit(2);
}

/** @returns whether every secret is sealed with the present key */
async function rekeyInstallation(settings: Settings): Promise<boolean> {
  const box = openSecretBox(settings);
  const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const open = async <E extends AnyResource>(kind: Kind) => {
    const resources = createResources<E>({ database, kind });
    // A list lacks what a writer committed before it died.
    await createResourceUpkeep({ database, kind, resources }).heal();
    return resources;
  };
  const result = await rekey({
    connections: await open<Connection>('Connection'),
    subscriptions: await open<Subscription>('Subscription'),
    pipelines: await open<Pipeline>('ModelPipeline'),
    ...{ database, box },
  });
  const all = [result.connections, result.subscriptions, result.attestationKey];
  const resealed = all.reduce((sum, each) => sum + each.resealed, 0);
  if (resealed > 0) {
    const changes = [{ path: 'resealed', from: null, to: resealed }];
    const target = { kind: 'Installation', entityId: 'secrets', requestId: '' };
    await createAudit({ database }).append({
      user: { sub: 'slipway secrets rekey' },
      action: 'rekey',
      ...target,
      changes,
    });
  }
  const facts = {
    hasOldKeys: settings.SLIPWAY_OLD_SECRET_KEYS.length > 0,
    encryptsPayloads: settings.TEMPORAL_ENCRYPT_PAYLOADS,
  };
  console.log(toRekeyReport(result, facts).join('\n'));
  return all.every(({ failures }) => failures.length === 0);
}
