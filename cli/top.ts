import { Command } from 'commander';
import type { components } from '../client/openapi.js';
import type { Slipway } from '../client/index.js';
import { createPatience } from '../client/patience.js';
import type { CliContext } from './context.js';
import { connect } from './login/session.js';
import { plainOption, showPlain, type PlainFormat } from './output/plain.js';
import type { Column } from './output/table.js';
import { duration } from './output/time.js';

type Metrics = components['schemas']['DeploymentMetrics'];

interface TopOptions {
  output: PlainFormat;
  watch?: boolean;
}

const REFRESH_MS = 5_000;

/** `slipway top`: how deployments do, from the last minutes. */
export function topCommand(context: CliContext): Command {
  const { terminal, signal, pause } = context;
  return new Command('top')
    .description('show availability, resource use, calls and latency of deployments in the last 5 minutes')
    .argument('[deployment...]', 'ids of deployments; all when none is given')
    .addOption(plainOption())
    .option('-w, --watch', 'go on and show the numbers every 5 seconds')
    .addHelpText('after', '\nExamples:\n  slipway top\n  slipway top wine -w')
    .action(async (ids: string[], { output: format, watch }: TopOptions, command: Command) => {
      const slipway = await connect(context, command);
      const show = async (): Promise<void> => {
        const rows = await read(slipway, { ids: ids.map(withoutKind), signal });
        await showPlain(context, {
          format,
          rows,
          columns: COLUMNS,
          nameOf: ({ id }) => id,
          none: 'there are no deployments',
        });
      };
      if (!watch) return show();
      const onTrouble = (): void => terminal.note('the server does not answer; trying again');
      const patience = createPatience({ signal, patienceMs: Infinity, onTrouble, pause });
      for (;;) {
        await patience.call(show);
        await pause(REFRESH_MS, signal);
        if (format === 'table') terminal.out('');
      }
    });
}

const withoutKind = (id: string): string => id.replace(/^deployments?\//, '');

async function read(slipway: Slipway, { ids, signal }: { ids: readonly string[]; signal: AbortSignal }) {
  const rows: Metrics[] = [];
  for (const id of ids) {
    const { data } = await slipway.http.GET('/api/v1/model/deployment/{id}/metrics', {
      ...{ params: { path: { id } }, signal },
    });
    if (data !== undefined) rows.push(data);
  }
  if (ids.length > 0) return rows;
  for (let page = 0; ; page += 1) {
    const { data = [] } = await slipway.http.GET('/api/v1/model/deployment-metrics', {
      ...{ params: { query: { size: PAGE, page } }, signal },
    });
    rows.push(...data);
    if (data.length < PAGE) return rows;
  }
}

const PAGE = 500;

const percent = (share: number): string => `${Number((100 * share).toFixed(1))}%`;
const latency = (name: 'p50' | 'p95' | 'p99'): Column<Metrics> => ({
  header: name.toUpperCase(),
  value: ({ latencySeconds }) => (latencySeconds === undefined ? '' : duration(1_000 * latencySeconds[name])),
});

// prettier-ignore
const COLUMNS: readonly Column<Metrics>[] = [
  { header: 'ID',        value: ({ id }) => id },
  { header: 'STATE',     value: ({ state }) => state },
  { header: 'AVAILABLE', value: ({ availability }) => percent(availability) },
  { header: 'REPLICAS',  value: ({ availableReplicas, replicas }) => `${availableReplicas}/${replicas}` },
  { header: 'RESTARTS',  value: ({ restarts }) => (restarts === undefined ? '' : String(restarts)) },
  { header: 'CPU',       value: ({ cpuCores }) => (cpuCores === undefined ? '' : `${Math.round(1_000 * cpuCores)}m`) },
  { header: 'MEMORY',    value: ({ memoryBytes }) => (memoryBytes === undefined ? '' : `${Math.round(memoryBytes / 2 ** 20)}Mi`) },
  { header: 'REQUESTS',  value: ({ requests }) => String(requests) },
  { header: 'FAILED',    value: ({ requests, failed }) => (failed === 0 ? '0' : `${failed} (${percent(failed / requests)})`) },
  { header: 'NOW',       value: ({ inflight }) => String(inflight) },
  latency('p50'),
  latency('p95'),
  latency('p99'),
];
