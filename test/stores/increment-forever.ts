import type { AnyEntity } from '../../resources/entity.js';
import { connectDatabase } from '../../stores/mongo-database.js';
import { createEntities } from '../../stores/stored-entities.js';

/** A process to be killed: increments one counter for ever, and prints a dot for each acknowledged write. */
const [uri = '', name = '', id = ''] = process.argv.slice(2);
const database = await connectDatabase(uri, name);
const counters = createEntities<AnyEntity & { status: { count: number } }>({ database, kind: 'ModelDeployment' });
for (;;) {
  await counters.update(id, (current) => ({ ...current, status: { count: current.status.count + 1 } }));
  process.stdout.write('.');
}
