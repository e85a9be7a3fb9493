import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { findBinary } from '../binaries.js';
import { exists } from '../cache.js';
import { requireAnswer } from '../probe.js';
import { ensureProcess } from '../service-process.js';
import { readTemporalDeclaration, type TemporalDeclaration } from '../temporal-declaration.js';
import { serviceSettings } from '../../platform/kinds/ports.js';
import type { Service } from '../service.js';

const DAY_MS = 86_400_000;

/** The Temporal server and its Web UI, on one SQLite file, as `temporal-dev.yaml` declares them. */
export const temporalService: Service = {
  name: 'temporal',
  replacedBy: 'TEMPORAL_ADDRESS',
  needs: [],
  runs: 'detached',
  async start(context, tools) {
    const { stateDir, ports, environment } = context;
    const declared = readTemporalDeclaration();
    const declaration = { ...declared, namespace: environment.TEMPORAL_NAMESPACE || declared.namespace };
    const address = `127.0.0.1:${ports.temporal}`;
    const uiUrl = `http://127.0.0.1:${ports.temporalUi}`;
    const databaseFile = join(stateDir, declaration.databaseFile);
    await mkdir(dirname(databaseFile), { recursive: true });
    const configuration = await configurationFor(databaseFile, declaration);
    const how = await ensureProcess(
      {
        name: 'temporal',
        command: await findBinary('temporal', context, tools),
        args: [
          ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
          ...['--port', String(ports.temporal), '--ui-port', String(ports.temporalUi)],
          ...['--db-filename', databaseFile, '--namespace', declaration.namespace],
          ...toFlags('--search-attribute', declaration.searchAttributes),
          ...toFlags('--dynamic-config-value', configuration, JSON.stringify),
          ...toFlags('--sqlite-pragma', declaration.sqlitePragmas),
        ],
        ports: [ports.temporal, ports.temporalUi],
        probe: async () => {
          await requireAnswer(uiUrl);
          await settle(address, declaration);
        },
        readyTimeoutMs: 60_000,
      },
      { stateDir, signal: tools.signal },
    );
    context.found.TEMPORAL_NAMESPACE = declaration.namespace;
    Object.assign(context.found, serviceSettings(ports).TEMPORAL_ADDRESS);
    return `${how} at ${address}, Web UI ${uiUrl}`;
  },
};

/** Asks for the namespace and its search attributes, and corrects the retention when it is not the declared one. */
async function settle(address: string, { namespace, retentionDays, searchAttributes }: TemporalDeclaration) {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.keys(searchAttributes).filter((name) => !(name in customAttributes));
    if (missing.length > 0)
      throw new SlipwayError('unavailable', `search attributes ${missing.join(', ')} are missing`);
    const retention = msToTs(retentionDays * DAY_MS);
    if (Number(config?.workflowExecutionRetentionTtl?.seconds) !== Number(retention.seconds)) {
      await connection.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: retention },
      });
    }
  } finally {
    await connection.close();
  }
}

/** The dynamic configuration of a database: a file beside it says that it began with the one of new databases. */
export async function configurationFor(
  databaseFile: string,
  declaration: TemporalDeclaration,
): Promise<TemporalDeclaration['dynamicConfiguration']> {
  const { dynamicConfiguration, dynamicConfigurationOfNewDatabases } = declaration;
  const mark = `${databaseFile}.fair-queues`;
  if (!(await exists(databaseFile))) await writeFile(mark, '');
  return (await exists(mark))
    ? { ...dynamicConfiguration, ...dynamicConfigurationOfNewDatabases }
    : dynamicConfiguration;
}

function toFlags<Value>(
  flag: string,
  values: Record<string, Value>,
  print: (value: Value) => string = String,
): string[] {
  return Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${print(value)}`]);
}
