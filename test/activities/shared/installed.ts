import { type TarEntry, tarOf } from './archives.js';

const ENVIRONMENT: readonly TarEntry[] = [
  { name: 'pyvenv.cfg', content: 'home = /usr/bin\nversion = 3.11.2\n' },
  { name: 'bin', type: 'directory' },
  { name: 'lib/python3.11', type: 'directory' },
];

/** The files that an installation leaves in its container, and the builder image's uv. */
export async function installedOutputs(more: readonly TarEntry[] = [], kept = ENVIRONMENT) {
  return {
    '/opt/env/.': await tarOf([...kept, ...more]),
    '/opt/server/.': await tarOf([{ name: 'lib', type: 'directory' }]),
    '/usr/local/bin/uv': await tarOf([{ name: 'uv', content: 'uv', mode: 0o755 }]),
  };
}
