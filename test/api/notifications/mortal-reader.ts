import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * A reader of a feed that keeps its place in the transaction of what the events do to it: one file holds both, and is
 * replaced as a whole. It says so after each commit, and reads on until it is killed.
 */
export interface Account {
  cursor: string | null;
  /** Notice ids, in the order in which they took effect. */
  effects: string[];
}

interface Page {
  items: { notice_id: string; cursor: string }[];
  next_cursor: string;
}

const [address = '', token = '', file = '', limit = ''] = process.argv.slice(2);
const opened: Account = { cursor: null, effects: [] };
let account = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Account) : opened;

function commit(next: Account): void {
  writeFileSync(`${file}.next`, JSON.stringify(next));
  renameSync(`${file}.next`, file);
  account = next;
  process.stdout.write('committed\n');
}

for (;;) {
  const url = new URL(address);
  url.searchParams.set('limit', limit);
  url.searchParams.set('wait', '5');
  if (account.cursor !== null) url.searchParams.set('after', account.cursor);
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`the feed answered ${response.status}: ${await response.text()}`);
  const { items, next_cursor: end } = (await response.json()) as Page;
  // Some pages at once, some event by event: a cursor leads on from either.
  if (items.length % 2 === 0) {
    if (items.length === 0) continue;
    commit({ cursor: end, effects: [...account.effects, ...items.map(({ notice_id: id }) => id)] });
  } else {
    for (const { notice_id: id, cursor } of items) commit({ cursor, effects: [...account.effects, id] });
  }
}
