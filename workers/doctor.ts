import { statfs } from 'node:fs/promises';
import { createFindOutages } from '../api/http/outages.js';
import { parseSettings, type Settings } from '../config.js';
import { connectDocker } from '../platform/engines/docker/connect.js';
import { findReachable } from '../platform/engines/egress-check.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { openDatabase, readServerVersion } from '../platform/stores/mongo-database.js';
import { openPlatformBucket } from './compose/bucket.js';
import { type Examined, examine } from './compose/doctor.js';
import { openEngine } from './compose/engine.js';
import { openInstallationChecks } from './compose/installation-checks.js';
import { findUnsafeSettings } from './compose/production-profile.js';
import { missingSearchAttributes } from './compose/search-attributes.js';
import { openServiceProbes } from './compose/service-probes.js';
import { createTemporalClient } from './compose/temporal.js';

// `slipway doctor` starts it. Argument: `--json` or none. Its settings are those of the environment.
const LIMIT_MS = 5_000;

try {
  const lines = await examineInstallation(parseSettings(process.env));
  console.log(process.argv.includes('--json') ? JSON.stringify(lines, undefined, 2) : toText(lines));
  process.exit(lines.some(({ state }) => state === 'wrong') ? 1 : 0);
} catch (err) {
  console.error(err instanceof SlipwayError ? err.message : err);
  process.exit(2);
}

async function examineInstallation(settings: Settings): Promise<Examined[]> {
  const { MONGODB_URI, SLIPWAY_DATABASE, DOCKER_HOST } = settings;
  const database = openDatabase(MONGODB_URI, SLIPWAY_DATABASE);
  const objects = openPlatformBucket(settings);
  const client = createTemporalClient(settings);
  const lines = await examine({
    isProduction: settings.NODE_ENV === 'production',
    unsafe: findUnsafeSettings(settings),
    findOutages: createFindOutages(openServiceProbes({ settings, database, objects, client }), { limitMs: LIMIT_MS }),
    versions: {
      database: () => readServerVersion(MONGODB_URI),
      temporal: async () => `Temporal ${(await client.workflowService.getSystemInfo({})).serverVersion}`,
      engine: async () => {
        const { Version, Components } = await connectDocker(DOCKER_HOST, settings.DOCKER_CERT_PATH).version();
        return `${Components[0]?.Name ?? 'engine'} ${Version}`;
      },
    },
    checks: openInstallationChecks({ database, missingSearchAttributes: () => missingSearchAttributes(client) }),
    findReachable: async () => findReachable(await openEngine(settings, database), settings.SLIPWAY_BUILDER_IMAGE),
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(settings.SLIPWAY_STATE_DIR).catch(() => statfs('.'));
      return bavail * bsize;
    },
    limitMs: LIMIT_MS,
  });
  return lines;
}

function toText(lines: readonly Examined[]): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, state, found, remedy }) => {
      const next = remedy === undefined ? '' : `: ${remedy}`;
      return `${state.padEnd(5)}  ${name.padEnd(width)}  ${found}${next}`;
    })
    .join('\n');
}
