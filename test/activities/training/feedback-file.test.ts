import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRows, writeTable } from '../../../activities/training/feedback-file.js';
import type { JoinedRow } from '../../../lifecycle/stores/partition-join.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

const row = (bodies: Partial<JoinedRow> = {}): JoinedRow => ({
  requestId: 'r',
  modelName: 'wine',
  modelVersion: '1',
  at: Date.UTC(2026, 10, 20, 9),
  feedbackAt: Date.UTC(2026, 10, 20, 10),
  status: 200,
  request: '{}',
  response: '{}',
  feedback: '{}',
  ...bodies,
});

async function write(rows: readonly JoinedRow[]): Promise<{ ndjson: string; csv: string[] }> {
  const [ndjson, csv] = [join(folder, 'rows.ndjson'), join(folder, 'rows.csv')];
  await writeRows(
    (async function* () {
      yield* rows;
    })(),
    ndjson,
  );
  await writeTable(ndjson, csv);
  return { ndjson: await readFile(ndjson, 'utf8'), csv: (await readFile(csv, 'utf8')).split('\n') };
}

const FACTS = 'request_id,time,model_name,model_version,response_status,feedback_time';
const VALUES = 'r,2026-11-20T09:00:00Z,wine,1,200,2026-11-20T10:00:00Z';

test('a row is one line of JSON with its bodies as they came', async () => {
  const { ndjson } = await write([row({ request: '{"n":12345678901234567890}', feedback: '"good"' })]);
  expect(ndjson).toBe(
    '{"request_id":"r","time":"2026-11-20T09:00:00Z","model_name":"wine","model_version":"1","response_status":200,' +
      '"feedback_time":"2026-11-20T10:00:00Z","request":{"n":12345678901234567890},"response":{},"feedback":"good"}\n',
  );
});

test('the same rows are a table with a column per member, and empty cells where a row has none', async () => {
  const request = '{"columns":["alcohol","p.H"],"data":[[9.4,12345678901234567890]]}';
  const response = '{"prediction":[5.5],"columns":["quality"]}';
  const { csv } = await write([
    row({ request, response, feedback: '{"label":6}' }),
    row({ requestId: 'a "b", c', request: '[1]', response: 'null', feedback: '{"note":"two\\rlines"}' }),
  ]);
  expect(csv).toEqual([
    `${FACTS},feedback.label,feedback.note,request,request.data.alcohol,request.data.p\\.H,response,response.prediction.quality`,
    `${VALUES},6,,,9.4,12345678901234567890,,5.5`,
    `"a ""b"", c"${VALUES.slice(1)},,"two\rlines",[1],,,,`,
    '',
  ]);
});

test('text that a spreadsheet would run is defused, numbers are not', async () => {
  const feedback = '{"a":"=1+1","b":"-2","c":-2.5,"d":"@x","e":"\\tx","f":-12345678901234567890,"g":"+1","h":"ok"}';
  const { csv } = await write([row({ feedback })]);
  expect(csv[1]).toBe(`${VALUES},'=1+1,'-2,-2.5,'@x,'\tx,-12345678901234567890,'+1,ok,{},{}`);
});

test('whoever sends ever new members adds no columns without end', async () => {
  const rows = Array.from({ length: 30 }, (_, n) => {
    const members = Object.fromEntries(Array.from({ length: 150 }, (_item, m) => [`m${n}-${m}`, m]));
    return row({ requestId: `r${n}`, feedback: JSON.stringify(members) });
  });
  const { csv } = await write([...rows, row({ requestId: 'last', feedback: '{"m0-0":"plain"}' })]);
  const header = csv[0]?.split(',') ?? [];
  expect(header.length).toBeLessThan(2_010);
  expect(header).toEqual(expect.arrayContaining(['feedback', 'feedback.m0-0']));
  expect(csv.slice(1, 32).filter((line) => line.includes('""m'))).toHaveLength(17); // 13 rows of 150 fit
  expect(csv[31]).toMatch(/^last,.*,plain,/);
});

test('no rows are a table of nothing but its columns', async () => {
  expect(await write([])).toEqual({ ndjson: '', csv: [FACTS, ''] });
});
