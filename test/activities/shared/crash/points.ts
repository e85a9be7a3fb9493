import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { collections } from '../../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../../platform/stores/database.js';

/** Moments in the life of one notice, in their order. Those in the middle belong to the receiver: it knows them. */
export type Point =
  | 'behind the change'
  | 'behind the log entry'
  | 'behind the outbox'
  | 'behind the intent'
  | 'within the body'
  | 'at the receiver, before its effect'
  | 'at the receiver, behind its effect'
  | 'before the outcome'
  | 'behind the outcome'
  | 'during the question'
  | ProbePoint
  | 'behind the re-opening'
  | "before the order's end"
  | "behind the order's end"
  | 'behind the first write of a decision';

export type ProbePoint = 'during the probe' | 'behind the probe' | 'behind the stored probe';
export const isOfProbe = (point: Point): boolean => point.endsWith(' probe');

/** Points on the way of a change, before anything is made of it. */
export const isOfWriter = (point: Point): boolean => point === 'behind the change' || point === 'behind the log entry';

const isIntent = ({ _id }: Row): boolean => /\/\d+$/.test(_id) && !_id.includes('/replay/');
const isReopening = ({ _id }: Row): boolean => _id.includes('/replay/');
const isOrdersEnd = ({ _id }: Row): boolean => _id.endsWith('/end');
const isSettlement = ({ _id }: Row): boolean => _id.includes('/settled/');
const isOutcome = ({ _id }: Row): boolean => _id.endsWith('/outcome');

/** A database whose caller stops at a point: before or behind a write. */
export function stopAt(point: Point, database: Database, stop: () => Promise<void>): Database {
  return {
    ...database,
    table<R extends Row>(name: string): Table<R> {
      const table = database.table<R>(name);
      const afterInsert = (): Table<R> => ({
        ...table,
        insert: (row) => table.insert(row).finally(stop),
        insertAll: (rows) => table.insertAll(rows).finally(stop),
      });
      if (name === collections.changes && point === 'behind the change') return afterInsert();
      if (name === collections.streams && point === 'behind the log entry') return afterInsert();
      if (name === collections.streams && point === 'behind the first write of a decision') return afterInsert();
      if (name === collections.outbox && point === 'behind the outbox') return afterInsert();
      const around = (isMeant: (row: Row) => boolean, before: Point, behind: Point): Table<R> => ({
        ...table,
        async insert(row) {
          if (isMeant(row) && point === before) await stop();
          const isNew = await table.insert(row);
          if (isMeant(row) && point === behind) await stop();
          return isNew;
        },
      });
      if (name === collections.log('Subscription'))
        return around(() => true, 'behind the probe', 'behind the stored probe');
      if (name === collections.recoveries)
        return around(isOrdersEnd, "before the order's end", "behind the order's end");
      if (name !== collections.attempts) return table;
      return {
        ...table,
        async insertAll(rows) {
          if (point === 'before the outcome' && rows.some(isOutcome)) await stop();
          const taken = await table.insertAll(rows);
          if (point === 'behind the re-opening' && rows.some(isReopening)) await stop();
          const isDecided = rows.some((row) => isReopening(row) || isSettlement(row));
          if (point === 'behind the first write of a decision' && isDecided) await stop();
          if (point === 'behind the intent' && rows.some(isIntent)) await stop();
          if (point === 'behind the outcome' && rows.some(isOutcome)) await stop();
          return taken;
        },
      };
    },
  };
}

/** Connections on which the second half of a body never leaves. */
export function halfway(stop: () => Promise<void>): Agent {
  const connect = buildConnector({});
  return new Agent({
    connect: (options, callback) =>
      connect(options, (err, socket) => {
        if (socket !== null) cut(socket, stop);
        // One of the two is given, as the connector gave it.
        if (err !== null) callback(err, null);
        else if (socket !== null) callback(null, socket);
      }),
  });
}

function cut(socket: Socket, stop: () => Promise<void>): void {
  const write = socket.write.bind(socket);
  let isBehindHead = false;
  socket.write = (data: string | Uint8Array): boolean => {
    if (!isBehindHead) {
      isBehindHead = true;
      return write(data);
    }
    const bytes = Buffer.from(data);
    write(bytes.subarray(0, bytes.length / 2));
    void stop();
    return true;
  };
}
