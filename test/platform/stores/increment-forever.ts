import type { AnyResource } from '../../../platform/kinds/resource.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { createResources } from '../../../notifications/stores/resources.js';

/** A process to be killed: increments one counter for ever, and prints a dot for each acknowledged write. */
const [uri = '', name = '', id = ''] = process.argv.slice(2);
const database = await connectDatabase(uri, name);
const counters = createResources<AnyResource & { status: { count: number } }>({ database, kind: 'ModelDeployment' });
for (;;) {
  await counters.update(id, (current) => ({ ...current, status: { count: current.status.count + 1 } }));
  process.stdout.write('.');
}
