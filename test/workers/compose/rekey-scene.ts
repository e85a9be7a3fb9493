import { randomBytes } from 'node:crypto';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { openSpec } from '../../../lifecycle/stores/sealed-connection.js';
import { openHeaders, sealHeaders } from '../../../notifications/delivery/sealed-headers.js';
import { openSigningKeys } from '../../../notifications/delivery/sealed-keys.js';
import { createHmacSecret } from '../../../notifications/delivery/signing-keys.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { secretPlaces } from '../../../platform/kinds/secret-places.js';
import type { Database } from '../../../platform/stores/database.js';
import { createSecretBox, type SecretBox } from '../../../platform/stores/secrets.js';
import { sealBefore } from '../../platform/stores/sealed-before.js';

export const newKey = () => randomBytes(32).toString('base64');
const STAMPS = { createdAt: '', updatedAt: '', createdBy: 'ann', updatedBy: 'ann', generation: 1, revision: 0 };

/** An installation whose secrets are sealed with an earlier key: half of them by 0.1.0. */
export async function openRekeyScene(database: Database, count: number) {
  const [oldKey, key] = [newKey(), newKey()];
  const old = createSecretBox({ key: oldKey });
  const stores = {
    connections: createResources<Connection>({ database, kind: 'Connection' }),
    subscriptions: createResources<Subscription>({ database, kind: 'Subscription' }),
    pipelines: createResources<Pipeline>({ database, kind: 'ModelPipeline' }),
  };
  for (let at = 0; at < count; at += 1) {
    const id = `c-${String(at).padStart(3, '0')}`;
    const seal = (text: string, field: string) =>
      at % 2 === 0 ? sealBefore(oldKey, text) : old.seal(text, secretPlaces.connection(id, field));
    const spec = {
      type: 'docker',
      uri: 'r.example/a',
      username: 'ann',
      vital: false,
      password: seal(`p ${id}`, 'password'),
    };
    await stores.connections.insert({ kind: 'Connection', id, uid: id, ...STAMPS, spec, status: {} });
  }
  const headers = { ...sealHeaders({ id: 'sub_1', headers: { authorization: 'Bearer r' } }, old), 'x-plain': 'hr' };
  const sealedKey = old.seal(createHmacSecret(), secretPlaces.signingKey('sub_1', 'k_1'));
  const keys = [{ kid: 'k_1', kind: 'hmac', secret: sealedKey, created_at: '', expires_at: null }];
  // Only what a rekey reads.
  const subscription = { kind: 'Subscription', id: 'sub_1', uid: 'u', ...STAMPS, spec: { headers }, status: { keys } };
  await stores.subscriptions.insert(subscription as unknown as Subscription);

  return {
    ...{ ...stores, oldKey, key, box: createSecretBox({ key, oldKeys: [oldKey] }) },
    /** Opens every secret. @returns the ids of connections whose secret is not theirs */
    async wrong(box: SecretBox): Promise<string[]> {
      const all = await stores.connections.list();
      const found = await stores.subscriptions.get('sub_1');
      if (found === undefined) throw new Error('the subscription is gone');
      openHeaders({ id: found.id, headers: found.spec.headers }, box);
      if (openSigningKeys(found, box, new Date()).length !== 1) throw new Error('the key is gone');
      return all.filter((each) => openSpec(each, box).password !== `p ${each.id}`).map(({ id }) => id);
    },
  };
}
