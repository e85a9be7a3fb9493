import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Base } from '../../../activities/shared/base.js';
import { removeMade, run } from '../../platform/engines/harness.js';
import { createEnvironmentScene, PYTHON, requireImage } from './environment-scene.js';

const scene = createEnvironmentScene();
const { engine } = scene;
let base: Base;
beforeAll(async () => {
  base = await scene.base(PYTHON);
});
afterAll(async () => {
  await removeMade({ engine, image: PYTHON });
  await scene.close();
});

const inside = async (image: string, script: string): Promise<string> =>
  (await run({ engine, image }, script)).lines.join('\n');

test('an environment holds its packages and the server, compiled, and belongs to the user of containers', async () => {
  const { result } = await scene.make(base, { lock: ['iniconfig==2.0.0'], server: scene.server });
  const image = requireImage(result);
  const shown = await inside(
    await scene.pull(image),
    `python -c 'import iniconfig, granian, slipway_server, sys; print(iniconfig.__file__, sys.prefix)'
     stat -c '%u %a' /opt/env/bin/python3 /opt/env/lib /opt/server/slipway_server/app.py
     find /opt -perm /6000; cat /opt/env/lock.txt; pwd; stat -c '%u' / /opt
     test -e /opt/env/.uv || echo clean; ls /opt/env/bytecode/opt/server/slipway_server | head -1`,
  );
  expect(shown).toMatch(/^\/opt\/env\/lib\/python3\.11\/site-packages\/iniconfig\/__init__\.py \/opt\/env\n/);
  expect(shown).toContain('10001 777\n10001 755\n10001 644\niniconfig==2.0.0\n/app\n0\n0\nclean\n');
  expect(shown).toMatch(/\.pyc$/);
  expect(image.layers.slice(0, -2)).toEqual(base.image.layers);
});

test('the same packages on the same base are the same image, whenever they are installed', async () => {
  const make = async () =>
    requireImage((await scene.make(base, { lock: ['iniconfig==2.0.0'], server: scene.server })).result);
  const [one, other] = [await make(), await make()];
  expect(other.manifest.digest).toBe(one.manifest.digest);
});

test.each([
  ['a wrong hash', [`iniconfig==2.0.0 --hash=sha256:${'0'.repeat(64)}`], /hash/i],
  ['a package without a wheel', ['docopt==0.6.2'], /docopt.*SLIPWAY_ALLOW_SOURCE_PACKAGES/],
  ['a version that is not there', ['iniconfig==99.0'], /iniconfig==99\.0/],
])('%s is refused with a sentence', async (_what, lock, message) => {
  const { result } = await scene.make(base, { lock });
  expect(result).toMatchObject({ code: 'run_failed', detail: { reason: 'PackagerFailed' } });
  expect((result as Error).message).toMatch(message);
});
