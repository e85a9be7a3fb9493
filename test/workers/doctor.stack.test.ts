import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { BACKING_SERVICES } from '../../platform/kinds/outage.js';

test('the embedded stack answers the doctor, with versions, and is refused in production only', async () => {
  const program = fileURLToPath(new URL('../../workers/doctor.ts', import.meta.url));
  const examine = async (NODE_ENV: string) => {
    const env = { ...process.env, NODE_ENV, NODE_OPTIONS: '' };
    const { stdout } = await execa(process.execPath, ['--import', 'tsx', program, '--json'], { env, reject: false });
    return JSON.parse(stdout) as { name: string; state: string; found: string }[];
  };
  const lines = await examine('development');
  const services = lines.filter(({ name }) => BACKING_SERVICES.some((each) => each === name));
  expect(services.map(({ state }) => state)).toEqual(BACKING_SERVICES.map(() => 'ok'));
  const products = services.slice(0, 5).map(({ found }) => found.replace(/ .*/, ''));
  expect(products).toEqual(['FerretDB', 'Temporal', 'answers', 'answers', 'Podman']);
  const inProduction = await examine('production');
  expect(inProduction.find(({ name }) => name === 'MONGODB_URI')?.state).toBe('wrong');
});
