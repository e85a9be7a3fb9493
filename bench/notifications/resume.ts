import { openReceiver, openScene } from '../../test/activities/notifications/notification-scene.js';
import { openTestDatabase } from '../../test/platform/stores/test-database.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { writeResult } from '../report.js';

/**
 * A delivery that takes over while many notices wait for their second attempt: how long a new notice waits behind them,
 * with the due times that were written down, and without, as from a progress of an earlier version.
 */
const [notices = 5_000] = process.argv.slice(2).map(Number);
const AT_ONCE = 500;
const HOUR_S = 3_600;

async function measure(isKnown: boolean) {
  const database = await openTestDatabase();
  const receiver = await openReceiver();
  const scene = openScene(database);
  const { id, ledger, progress, subscriptions } = scene;
  try {
    const rate = { per_second: 1_000, concurrency: 8 };
    await scene.subscribe({ url: receiver.url, schedule: [0, HOUR_S], rate }, { state: 'paused' });
    for (let from = 0; from < notices; from += AT_ONCE) {
      const ids = Array.from({ length: Math.min(AT_ONCE, notices - from) }, (_, n) => String(from + n + 1));
      await scene.write(...ids.map((each) => scene.change(each, 'Open')));
    }
    await scene.drain();
    const [startedAt, deadline] = [new Date().toISOString(), new Date(Date.now() + 20_000).toISOString()];
    for (let from = 1; from <= notices; from += AT_ONCE) {
      const sequences = Array.from({ length: Math.min(AT_ONCE, notices - from + 1) }, (_, n) => from + n);
      const intent = { number: 1, episode: 0, owner: 'another', startedAt, deadline };
      await Promise.all(sequences.map((sequence) => ledger.begin({ subscription: id, sequence }, intent)));
      const end = { outcome: 'refused', at: startedAt, status: 500 } as const;
      await Promise.all(sequences.map((sequence) => ledger.end({ subscription: id, sequence }, 1, end)));
    }
    const saved = await progress.get(id);
    if (saved === undefined) throw new Error('nothing was drained');
    await progress.put(id, isKnown ? withDues(saved) : saved);
    await subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'active' } }));
    await scene.write(scene.change(String(notices + 1), 'Open'));

    const arrived = new AbortController();
    let reads = 0;
    const read = ledger.read.bind(ledger);
    ledger.read = (key) => {
      reads += 1;
      return read(key);
    };
    const began = performance.now();
    let waitedMs = NaN;
    const look = setInterval(() => {
      if (receiver.received.length === 0) return;
      if (Number.isNaN(waitedMs)) waitedMs = Math.round(performance.now() - began);
      arrived.abort();
    }, 1);
    await scene.drain({ signal: arrived.signal, idleMs: 300_000 });
    clearInterval(look);
    return { waitedMs, reads };
  } finally {
    await receiver.close();
    await scene.close();
    await database.close();
  }
}

function withDues(saved: SubscriptionProgress): SubscriptionProgress {
  const blocks = Math.ceil(Date.now() / 1_000);
  // Spread over minutes, as their ends were.
  const open = saved.open.map((each, n) => ({ ...each, again: { due: blocks + HOUR_S + (n % 600), blocks } }));
  return { ...saved, open, dueBy: 1 };
}

const without = await measure(false);
const known = await measure(true);
for (const [what, { waitedMs, reads }] of Object.entries({ 'without due times': without, 'with due times': known })) {
  console.log(`${notices} notices wait, ${what}: a new one arrives after ${waitedMs} ms, ${reads} ledgers are read`);
}
await writeResult('resume', { notices, without, known });
