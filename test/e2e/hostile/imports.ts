const long = (count: number, text = 'x'): string => text.repeat(count);
const MEBI = 2 ** 20;

/** An upload that ends as failed, and names its line. */
export interface HostileImport {
  name: string;
  type: 'text/csv' | 'application/x-ndjson';
  body: () => string | Buffer;
  /** Part of the status. */
  says: string;
}

// prettier-ignore
export const IMPORTS: readonly HostileImport[] = [
  { name: 'a row of 8 MiB',            type: 'application/x-ndjson', body: () => `{"id":"1","name":"${long(8 * MEBI)}"}`,          says: 'row.too_long' },
  { name: 'a row without an end',      type: 'application/x-ndjson', body: () => `{"id":"1","name":"${long(4 * MEBI)}`,            says: 'row.too_long' },
  { name: 'a row of brackets',         type: 'application/x-ndjson', body: () => `{"id":"1","name":${long(400_000, '[')}`,         says: 'nested deeper than 64 levels' },
  { name: 'a row of nested lists',     type: 'application/x-ndjson', body: () => `{"id":"1","name":${long(100_000, '[')}${long(100_000, ']')}}`, says: 'nested deeper than 64 levels' },
  { name: 'a row of a prototype',      type: 'application/x-ndjson', body: () => '{"id":"1","name":"a","__proto__":{"admin":true}}', says: '/__proto__' },
  { name: 'a row of a huge number',    type: 'application/x-ndjson', body: () => '{"id":"1","name":"a","level":1e400}',             says: '/level' },
  { name: 'an id beyond 64 bits',      type: 'application/x-ndjson', body: () => '{"id":"9223372036854775808","name":"a"}',         says: 'id.malformed' },
  { name: 'rows of zeros',             type: 'application/x-ndjson', body: () => Buffer.alloc(16 * MEBI),                           says: 'row.too_long' },
  { name: 'rows of gzip',              type: 'text/csv',             body: () => Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), says: 'there is no field for column' },
  { name: 'a cell without an end',     type: 'text/csv',             body: () => `id,name\n1,"${long(4 * MEBI)}`,                   says: 'Max Record Size' },
  { name: 'columns beyond measure',    type: 'text/csv',             body: () => `id,name,${long(200_000, 'a,')}b\n1,x\n`,          says: 'there is no field for column' },
  { name: 'a column twice',            type: 'text/csv',             body: () => 'id,name,name\n1,a,b\n',                           says: 'duplicate column' },
  { name: 'a column of a prototype',   type: 'text/csv',             body: () => 'id,name,__proto__.admin\n1,a,true\n',             says: '__proto__.admin' },
];
