import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { openDelivery } from './delivery-scene.js';
import type { Behavior } from './notification-scene.js';

const NOTICES = 500;
const CONCURRENCY = 8;

test('while keys change under load every request is verified, by a receiver that changes within the overlap', async () => {
  const [old, next] = [createHmacSecret(), createHmacSecret()];
  const receiver = { trusts: old, verified: 0, refused: 0, signatures: [] as number[] };
  let signing = [old];
  const arrived = new Set<number>();
  const both: number[] = [];
  // More requests than run at once: the last one was signed after all that have only the old signature.
  const isOverlapping = (): boolean => {
    const last = Math.max(...both.slice(0, CONCURRENCY + 1));
    return both.length > CONCURRENCY && [...arrived].filter((sequence) => sequence <= last).length === last;
  };
  const isSigned = (by: string, body: string, headers: object): boolean => {
    try {
      new Webhook(by).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const behave: Behavior = ({ body, headers }, response) => {
    const isGood = isSigned(receiver.trusts, body, headers);
    receiver[isGood ? 'verified' : 'refused'] += 1;
    const signatures = String(headers['webhook-signature']).split(' ').length;
    const sequence = Number(JSON.parse(body).sequence);
    receiver.signatures.push(signatures);
    arrived.add(sequence);
    if (signatures === 2) both.push(sequence);
    // The new key is added first; the receiver accepts it within the overlap, and then the old key is removed.
    if (signing.length === 1 && receiver.trusts === old) signing = [next, old];
    else if (receiver.trusts === next) signing = [next];
    if (isOverlapping() && isSigned(next, body, headers)) receiver.trusts = next;
    response.writeHead(isGood ? 200 : 401).end();
  };
  const { write, change, drain } = await openDelivery(behave, { rate: { per_second: 100, concurrency: CONCURRENCY } });
  await write(...Array.from({ length: NOTICES }, (_, n) => change(String(n + 1), 'Open')));
  await drain({ keysOf: () => signing.map((secret) => parseSigningKey(secret)), idleMs: 2_000 });
  expect(receiver).toMatchObject({ trusts: next, verified: NOTICES, refused: 0 });
  expect([receiver.signatures[0], Math.max(...receiver.signatures), receiver.signatures.at(-1)]).toEqual([1, 2, 1]);
}, 60_000);
