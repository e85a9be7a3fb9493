import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImageFacts } from '../../../platform/engines/driver.js';
import { removeMade, run } from '../../platform/engines/harness.js';
import { createEnvironmentScene, PYTHON } from './environment-scene.js';

const scene = createEnvironmentScene();
const { engine } = scene;
let base: ImageFacts;
beforeAll(async () => {
  base = await engine.ensureImage(PYTHON);
});
afterAll(async () => {
  await removeMade({ engine, image: PYTHON });
  await scene.close();
});

const inside = async (image: string, script: string): Promise<string> =>
  (await run({ engine, image }, script)).lines.join('\n');

test('an environment holds its packages and the server, compiled, and belongs to root', async () => {
  const { tag, failure, log } = await scene.make(base, { lock: ['iniconfig==2.0.0'], server: scene.server });
  expect([failure, log]).toEqual([undefined, expect.anything()]);
  const shown = await inside(
    tag,
    `python -c 'import iniconfig, granian, slipway_server, sys; print(iniconfig.__file__, sys.prefix)'
     stat -c '%u %a' /opt/env/bin/python3 /opt/env/lib /opt/server/slipway_server/app.py
     find /opt -perm /6000; cat /opt/env/lock.txt; pwd
     test -e /opt/env/.uv || echo clean; ls /opt/env/bytecode/opt/server/slipway_server | head -1`,
  );
  expect(shown).toMatch(/^\/opt\/env\/lib\/python3\.11\/site-packages\/iniconfig\/__init__\.py \/opt\/env\n/);
  expect(shown).toContain('0 777\n0 755\n0 644\niniconfig==2.0.0\n/app\nclean\n');
  expect(shown).toMatch(/\.pyc$/);
  expect((await engine.inspectImage(tag))?.layers.slice(0, base.layers.length)).toEqual(base.layers);
});

test.each([
  ['a wrong hash', [`iniconfig==2.0.0 --hash=sha256:${'0'.repeat(64)}`], /hash/i],
  ['a package without a wheel', ['docopt==0.6.2'], /docopt.*SLIPWAY_ALLOW_SOURCE_PACKAGES/],
  ['a version that is not there', ['iniconfig==99.0'], /iniconfig==99\.0/],
])('%s is refused with a sentence', async (_what, lock, message) => {
  const { failure } = await scene.make(base, { lock });
  expect(failure).toMatchObject({ code: 'run_failed', detail: { reason: 'PackagerFailed' } });
  expect((failure as Error).message).toMatch(message);
});
