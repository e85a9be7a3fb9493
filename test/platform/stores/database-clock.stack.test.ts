import { expect, onTestFinished, test } from 'vitest';
import { createDatabaseClock } from '../../../platform/stores/database-clock.js';
import { openDatabase } from '../../../platform/stores/mongo-database.js';

const HOUR_MS = 3_600_000;

test.each([HOUR_MS, -HOUR_MS])(
  'after one answer, a process whose clock is %d ms ahead tells the time of the server',
  async (ahead) => {
    const clock = createDatabaseClock(() => Date.now() + ahead);
    const database = openDatabase(process.env.MONGODB_URI ?? '', 'slipway_test_clock', clock);
    onTestFinished(() => database.close());
    await database.ping();
    // The server runs on this machine, whose clock is right.
    expect(Math.abs(database.now().getTime() - Date.now())).toBeLessThan(5_000);
  },
);
