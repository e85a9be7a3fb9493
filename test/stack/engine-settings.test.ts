import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineEnvironment, engineHost, placeEngine, writeEngineSettings } from '../../stack/engine-settings.js';
import { inScratchFolder } from './scratch.js';

test('two checkouts share neither bridge, addresses, locks nor sockets', async () => {
  await inScratchFolder(async (scratch) => {
    const written = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const folder = join(scratch, name);
        const place = { folder, runFolder: join(scratch, `run-${name}`) };
        await writeEngineSettings({ ...place, imageStores: [], plainRegistries: [] });
        const network = JSON.parse(await readFile(join(folder, 'networks', 'podman.json'), 'utf8'));
        const containers = await readFile(join(folder, 'containers.conf'), 'utf8');
        return { bridge: network.network_interface, subnet: network.subnets[0].subnet, containers };
      }),
    );
    const [one, two] = written;
    expect(one?.bridge).not.toBe(two?.bridge);
    expect(one?.bridge.length).toBeLessThanOrEqual(15);
    expect(one?.containers).toContain('lock_type = "file"');
    expect(one?.containers).toContain(`tmp_dir = "${join(scratch, 'run-one', 'tmp')}"`);
    // The pool of the networks to come and the default network are of one range.
    const range = one?.subnet.split('.').slice(0, 2).join('.');
    expect(one?.containers).toContain(`base = "${range}.0.0/16"`);
  });
});

test('every setting is private to the place', () => {
  const place = placeEngine('/srv/checkout/.slipway');
  const files = Object.values(engineEnvironment(place)).filter((value) => value.startsWith('/'));
  for (const file of files) expect(file.startsWith('/srv/checkout/.slipway/engine/')).toBe(true);
  expect(engineHost(place)).toMatch(/^unix:\/\/\/run\/slipway-[0-9a-f]{8}\/engine\.sock$/);
  expect(engineHost(placeEngine('/srv/other/.slipway'))).not.toBe(engineHost(place));
});

test('settings name the image stores and the plain registries, and differ when those do', async () => {
  await inScratchFolder(async (scratch) => {
    const place = { folder: join(scratch, 'engine'), runFolder: join(scratch, 'run') };
    await mkdir(place.folder);
    const write = (imageStores: string[]) =>
      writeEngineSettings({ ...place, imageStores, plainRegistries: ['127.0.0.1:5000'] });
    const first = await write(['/cache/images-1/storage']);
    expect(await write(['/cache/images-1/storage'])).toBe(first);
    expect(await write(['/cache/images-2/storage', '/cache/images-1/storage'])).not.toBe(first);
    const storage = await readFile(join(place.folder, 'storage.conf'), 'utf8');
    expect(storage).toContain('additionalimagestores = ["/cache/images-2/storage", "/cache/images-1/storage"]');
    const registries = await readFile(join(place.folder, 'registries.conf'), 'utf8');
    expect(registries).toContain('location = "127.0.0.1:5000"\ninsecure = true');
  });
});
