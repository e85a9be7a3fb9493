import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MongoClient } from 'mongodb';

const client = new MongoClient(process.env.MONGODB_URI ?? '');
const database = client.db(`stack_${randomUUID().slice(0, 8)}`);

beforeAll(() => client.connect());
afterAll(async () => {
  await database.dropDatabase();
  await client.close();
});

test('a look-up by _id does not get slower with the collection', async () => {
  const documents = database.collection<{ _id: string; text: string }>('documents');
  const text = 'x'.repeat(500);
  for (let batch = 0; batch < 3; batch += 1) {
    await documents.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `${batch}-${n}`, text })));
  }
  const time = async (look: () => Promise<unknown>) => {
    const began = performance.now();
    await look();
    return performance.now() - began;
  };
  // A filter with a second field is not pushed down and so reads everything: the measure of a scan on this machine.
  const scan = await time(() => documents.findOne({ _id: '2-9999', text }));
  const lookUps: number[] = [];
  for (let n = 0; n < 20; n += 1) lookUps.push(await time(() => documents.findOne({ _id: `2-${n * 400}` })));
  // The one that was disturbed least: on a busy machine the others wait for their turn as well.
  expect(Math.min(...lookUps)).toBeLessThan(scan / 10);
});

test('an insert of a known _id is refused as a duplicate', async () => {
  const documents = database.collection<{ _id: string }>('unique');
  await documents.insertOne({ _id: 'a' });
  await expect(documents.insertOne({ _id: 'a' })).rejects.toMatchObject({ code: 11_000 });
});

test('a collection that was dropped can be made again', async () => {
  const documents = database.collection<{ _id: string }>('again');
  for (let round = 0; round < 3; round += 1) {
    await documents.insertOne({ _id: 'a' });
    expect(await documents.findOne({ _id: 'a' })).toEqual({ _id: 'a' });
    await documents.drop();
  }
});
