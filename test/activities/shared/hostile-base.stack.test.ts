import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Base } from '../../../activities/shared/base.js';
import { removeMade, run } from '../../platform/engines/harness.js';
import { createEnvironmentScene, PYTHON, requireImage } from './environment-scene.js';
import { hostileBase, openHostService } from './hostile-base.js';

const scene = createEnvironmentScene();
const { engine } = scene;
let service: Awaited<ReturnType<typeof openHostService>>;
let base: Base;
let hanging: Base;
beforeAll(async () => {
  service = await openHostService();
  const { dockerfile, files } = hostileBase(PYTHON, service.port);
  hanging = await scene.build(`${dockerfile.replace('ONBUILD', 'ENV EVIL_HANG=yes\nONBUILD')}`, files);
  base = await scene.build(dockerfile, files);
});
afterAll(async () => {
  await service.close();
  await removeMade({ engine, image: PYTHON });
  await scene.close();
});

test('a hostile Python that installs packages is not root, reaches no service of the host and changes nothing', async () => {
  const { result, log } = await scene.make(base, { lock: ['iniconfig==2.0.0'] });
  expect(log).toMatch(/^identity 10001 0 1$/m);
  expect(log).toMatch(/refused connect 127\.0\.0\.1 /);
  expect(log).not.toContain('EVIL');
  expect(service.visits()).toBe(0);
  // It is the user's own Python: where it does its work, it may.
  const image = await scene.pull(requireImage(result));
  const { lines } = await run({ engine, image }, 'ls -d /built /etc/owned /usr/owned 2>/dev/null; echo end');
  expect(lines).toEqual(['end']);
});

test('an installation that ignores its end is killed at its limit', async () => {
  const { result, log } = await scene.make(hanging, { lock: ['iniconfig==2.0.0'] }, 5);
  expect(result).toMatchObject({ code: 'run_failed', detail: { reason: 'Timeout' } });
  expect(log).not.toContain('EVIL');
  expect(await engine.find({ id: scene.id })).toEqual([]);
});
