import { collections } from './collections.js';
import type { Database, Row } from './database.js';

const KEY = 'installation';

/**
 * The id of this installation, by which it knows its containers: chosen once, kept for as long as the database lives.
 * @param choice counts where none was chosen yet
 */
export async function installationId(database: Database, choice: string): Promise<string> {
  const table = database.table<Row & { id: string }>(collections.installation);
  await table.insert({ _id: KEY, id: choice });
  return (await table.get(KEY))?.id ?? choice;
}
