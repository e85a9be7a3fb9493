import { createSpool } from '../../gateway/spool.js';
import { silent } from './silent.js';

/** Appends records until it is killed, and says the number of each one as soon as it is written. */
const [, , dir = '', first = '0'] = process.argv;
const spool = await createSpool({ dir, log: silent, segmentBytes: 64 * 1024 });
for (let n = Number(first); ; n += 1) {
  const head = { kind: 'feedback' as const, at: Date.now(), requestId: String(n), modelName: 'm', modelVersion: '1' };
  const appended = spool.append({ head, first: Buffer.from(`{"n":${n}}`), second: Buffer.alloc(0) });
  void appended.then((written) => written && process.stdout.write(`${n}\n`));
  if (n % 50 === 0) await appended;
}
