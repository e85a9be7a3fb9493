import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { allowedAddresses } from '../../../platform/outbound/resolve-host.js';
import { outboundRules } from '../../../workers/compose/outbound-rules.js';

const refused = { code: 'url.not_allowed' };

test.each([
  [{}, '127.0.0.1', true],
  [{}, '10.1.0.1', false],
  [{ NODE_ENV: 'production' }, '127.0.0.1', false],
  [{ NODE_ENV: 'production' }, '8.8.8.8', true],
  [{ SLIPWAY_OUTBOUND_NETWORKS: '10.1.0.0/16' }, '10.1.0.1', true],
  [{ SLIPWAY_OUTBOUND_NETWORKS: '10.1.0.0/16' }, '127.0.0.1', false],
])('with %j the platform reaches %s: %s', async (environment, address, isAllowed) => {
  const found = allowedAddresses(address, outboundRules(parseSettings(environment)));
  if (isAllowed) expect(await found).toEqual([address]);
  else await expect(found).rejects.toMatchObject(refused);
});

test('one refused address of a name refuses the name', async () => {
  const resolve = async () => ['8.8.8.8', '169.254.169.254'];
  await expect(allowedAddresses('git.example', { networks: [], resolve })).rejects.toMatchObject(refused);
});
