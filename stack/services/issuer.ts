import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { requireAnswer } from '../probe.js';
import { ensureProcess } from '../service-process.js';
import { serviceSettings } from '../../platform/kinds/ports.js';
import type { Service } from '../service.js';

const PROJECT_ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(import.meta.dirname, '..', 'issuer');

/** The OpenID issuer with the development clients; it refuses to exist in production. */
export const issuerService: Service = {
  name: 'issuer',
  replacedBy: 'OIDC_ISSUER',
  needs: [],
  runs: 'detached',
  async start({ stateDir, ports, environment, found }, tools) {
    if (environment.NODE_ENV === 'production') {
      throw new SlipwayError(
        'unavailable',
        'the embedded issuer never runs in production; set OIDC_ISSUER to your own',
      );
    }
    const url = `http://127.0.0.1:${ports.issuer}`;
    const folder = join(stateDir, 'issuer');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const how = await ensureProcess(
      {
        name: 'issuer',
        command: process.execPath,
        args: ['--import', 'tsx', join(SOURCES, 'main.ts'), String(ports.issuer), folder],
        cwd: PROJECT_ROOT, // where tsx is found
        environment: { NODE_ENV: 'development' },
        inputs: await readSources(),
        ports: [ports.issuer],
        probe: async () => {
          const discovery = await requireAnswer(`${url}/.well-known/openid-configuration`);
          z.object({ issuer: z.literal(url) }).parse(JSON.parse(discovery));
        },
      },
      { stateDir, signal: tools.signal },
    );
    Object.assign(found, serviceSettings(ports).OIDC_ISSUER);
    return `${how} at ${url}`;
  },
};

/** It is our own code: a running issuer of an earlier version is replaced. */
async function readSources(): Promise<string> {
  const names = (await readdir(SOURCES)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(SOURCES, name), 'utf8')));
  return texts.join('\n');
}
