import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ensurePackages } from '../packages.js';
import { requireAnswer } from '../probe.js';
import { ensureProcess } from '../service-process.js';
import { serviceSettings } from '../../platform/kinds/ports.js';
import type { Service } from '../service.js';

/** The image registry: OCI distribution over a folder, plain HTTP on the loopback. */
export const registryService: Service = {
  name: 'registry',
  replacedBy: 'SLIPWAY_REGISTRY',
  needs: [],
  runs: 'detached',
  async start(context, tools) {
    const { stateDir, ports } = context;
    const command = 'docker-registry';
    await ensurePackages({ commands: [command], packages: [command], part: 'the registry' }, context, tools);
    const address = `127.0.0.1:${ports.registry}`;
    const folder = join(stateDir, 'registry');
    const settings = stringify({
      version: 0.1,
      log: { level: 'warn', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
      http: { addr: address },
    });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'config.yaml'), settings);
    const how = await ensureProcess(
      {
        name: 'registry',
        command,
        args: ['serve', join(folder, 'config.yaml')],
        // Its traces would be sent to a collector that is not there.
        environment: { OTEL_TRACES_EXPORTER: 'none' },
        inputs: settings,
        ports: [ports.registry],
        probe: async () => {
          await requireAnswer(`http://${address}/v2/`);
        },
      },
      { stateDir, signal: tools.signal },
    );
    Object.assign(context.found, serviceSettings(ports).SLIPWAY_REGISTRY);
    return `${how} at ${address}`;
  },
};
