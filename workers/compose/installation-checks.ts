import type { InstallationChecks } from '../../api/http/degradations.js';
import { EGRESS_REMEDY } from '../../platform/engines/egress-check.js';
import type { Database } from '../../platform/stores/database.js';
import { createEgressFindings } from '../../platform/stores/egress-finding.js';
import { INDEXES, missingIndexes } from '../../platform/stores/indexes.js';

interface Checked {
  database: Database;
  /** @returns names */
  missingSearchAttributes: () => Promise<string[]>;
  ownMs?: () => number;
}

/** Clocks that are kept by NTP differ by milliseconds. */
const MOST_OFFSET_MS = 5_000;

/** Opens the checks that the API runs for `/health`. */
export function openInstallationChecks(checked: Checked): InstallationChecks {
  const { database, missingSearchAttributes, ownMs = Date.now } = checked;
  return {
    'list indexes': async () => {
      const missing = await missingIndexes(database);
      const [first] = missing;
      if (first === undefined) return undefined;
      return {
        reason: `${missing.length} of ${INDEXES.length} are missing, such as "${first.name}" of ${first.collection}: lists are slow`,
        remedy: 'restart the API, which creates them; the user of MONGODB_URI needs the right to create indexes',
      };
    },
    clock: async () => {
      const aheadMs = ownMs() - database.now().getTime();
      if (Math.abs(aheadMs) <= MOST_OFFSET_MS) return undefined;
      const seconds = Math.round(Math.abs(aheadMs) / 1_000);
      return {
        reason: `the clock of the API is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database`,
        remedy: 'synchronize the clocks of both hosts, as with NTP: tokens and certificates are checked by them',
      };
    },
    'egress of containers': async () => {
      const { reached = [], refuses, checkedAt } = (await createEgressFindings(database).newest()) ?? {};
      if (reached.length === 0) return undefined;
      const effect = refuses ? 'no container with a network starts' : 'they run all the same';
      return {
        reason: `at ${checkedAt} containers reached the host or the metadata of a cloud: ${effect}`,
        remedy: EGRESS_REMEDY,
      };
    },
    'search attributes': async () => {
      const missing = await missingSearchAttributes();
      if (missing.length === 0) return undefined;
      return {
        reason: `the Temporal namespace lacks ${missing.join(', ')}: no run can start`,
        remedy: 'restart a worker, which creates them, or ends with the command that does',
      };
    },
  };
}
