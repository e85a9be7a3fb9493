import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReceiverOptions } from '../../receiver/handler.js';
import type { ReceiptStore } from '../../receiver/store.js';
import { createHmacSecret } from '../../notifications/delivery/signing-keys.js';
import { type Mounted, MOUNTS } from './frameworks.js';
import { createSender, EVENT, newId, nowSeconds, PATH, SECRET } from './sender.js';

/** A store of receipts, and effects that are noted the way it wants: in its transaction, where it has one. */
export interface Scene<Tx> {
  store: ReceiptStore<Tx>;
  note: (id: string, tx: Tx) => Promise<void>;
  /** How often the effect of this id took place. */
  count: (id: string) => Promise<number>;
  close?: () => Promise<unknown>;
}

const quiet = () => undefined;

/** The whole table of answers, over every framework. */
export function describeReceiver<Tx>(name: string, open: () => Promise<Scene<Tx>>): void {
  let scene: Scene<Tx>;
  beforeAll(async () => void (scene = await open()));
  afterAll(() => scene.close?.());
  const mounted: Mounted[] = [];
  afterEach(async () => {
    for (const { close } of mounted.splice(0)) await close();
  });

  describe.each(Object.entries(MOUNTS))(`%s over ${name}`, (_, mount) => {
    async function start(change: Partial<ReceiverOptions<Tx>> = {}) {
      const { store, note } = scene;
      const effect: ReceiverOptions<Tx>['effect'] = (_event, tx, { id }) => note(id, tx);
      const server = await mount<Tx>({ path: PATH, secrets: [SECRET], store, effect, onError: quiet, ...change });
      mounted.push(server);
      return { ...createSender(server), ...server };
    }

    test('a notice takes effect once, however often it comes', async () => {
      const events: unknown[] = [];
      const { post, ask } = await start({
        effect: async (event, tx, { id, body }) => {
          events.push(event, Buffer.from(body).toString());
          await scene.note(id, tx);
        },
      });
      const id = newId();
      expect(await ask(id)).toMatchObject({ status: 404, body: { state: 'unknown' } });
      expect(await post({ id })).toMatchObject({ status: 200, receipt: 'new', body: { receipt: 'new' } });
      expect(await post({ id, timestamp: nowSeconds() + 1 })).toMatchObject({ status: 200, receipt: 'duplicate' });
      expect(await ask(id)).toMatchObject({ status: 200, body: { state: 'received' } });
      expect(events).toEqual([EVENT, JSON.stringify(EVENT)]);
      expect(await scene.count(id)).toBe(1);
    });

    test('a probe is answered like any notice, and has no effect', async () => {
      const { post, ask } = await start();
      const [id, body] = [newId(), JSON.stringify({ ...EVENT, type: 'ops.probe' })];
      expect(await post({ id, body })).toMatchObject({ status: 200, receipt: 'new' });
      expect(await post({ id, body })).toMatchObject({ status: 200, receipt: 'duplicate' });
      expect(await ask(id)).toMatchObject({ status: 200 });
      expect(await scene.count(id)).toBe(0);
    });

    test('fifty copies at once are one effect', async () => {
      const { post } = await start();
      const id = newId();
      const answers = await Promise.all(Array.from({ length: 50 }, () => post({ id })));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.filter(({ receipt }) => receipt === 'new')).toHaveLength(1);
      expect(await scene.count(id)).toBe(1);
    });

    test('an effect that fails leaves no id, and the next attempt is a new one', async () => {
      const failures: unknown[] = [];
      let broken = true;
      const { post, ask } = await start({
        onError: (err) => void failures.push(err),
        effect: async (_event, tx, { id }) => {
          if (scene.store.guarantee === 'transaction') await scene.note(id, tx);
          if (broken) throw Object.assign(new Error('the disk is full'), { status: 410 });
          if (scene.store.guarantee !== 'transaction') await scene.note(id, tx);
        },
      });
      const id = newId();
      // The status of an error is not sent to the sender: 410 would disable the subscription.
      expect(await post({ id })).toMatchObject({ status: 500, receipt: null, body: { code: 'effect.failed' } });
      expect(failures).toEqual([expect.objectContaining({ message: 'the disk is full' })]);
      expect(await ask(id)).toMatchObject({ status: 404 });
      expect(await scene.count(id)).toBe(0);
      broken = false;
      expect(await post({ id })).toMatchObject({ status: 200, receipt: 'new' });
      expect(await scene.count(id)).toBe(1);
    });

    test('a tombstone before the notice refuses attempts of its time, and lets a later one through', async () => {
      const { post, ask, refuse } = await start();
      const [id, time] = [newId(), nowSeconds()];
      expect(await refuse(id, time)).toMatchObject({ status: 200, body: { state: 'refused' } });
      expect(await ask(id)).toMatchObject({ status: 404, body: { state: 'refused' } });
      expect(await post({ id, timestamp: time })).toMatchObject({ status: 409, receipt: 'refused' });
      expect(await post({ id, timestamp: time - 60 })).toMatchObject({ status: 409, receipt: 'refused' });
      expect(await refuse(id, time - 30)).toMatchObject({ body: { state: 'refused' } });
      expect(await post({ id, timestamp: time })).toMatchObject({ status: 409 });
      expect(await scene.count(id)).toBe(0);
      expect(await post({ id, timestamp: time + 1 })).toMatchObject({ status: 200, receipt: 'new' });
      expect(await scene.count(id)).toBe(1);
    });

    test('a tombstone that is raised refuses the attempt that would have passed', async () => {
      const { post, refuse } = await start();
      const [id, time] = [newId(), nowSeconds()];
      await refuse(id, time - 10);
      await refuse(id, time);
      expect(await post({ id, timestamp: time })).toMatchObject({ status: 409 });
    });

    test('a tombstone after the notice learns that it was received, and changes nothing', async () => {
      const { post, ask, refuse } = await start();
      const [id, time] = [newId(), nowSeconds()];
      await post({ id, timestamp: time });
      expect(await refuse(id, time)).toMatchObject({ status: 200, body: { state: 'received' } });
      expect(await ask(id)).toMatchObject({ status: 200 });
      expect(await post({ id, timestamp: time })).toMatchObject({ status: 200, receipt: 'duplicate' });
    });

    test('a tombstone in the middle of the effect waits for its end', async () => {
      const { post, refuse } = await start({
        effect: async (_event, tx, { id }) => {
          await scene.note(id, tx);
          tombstone = refuse(id, nowSeconds() + 9);
          // An effect cannot await a request that waits for the end of the same effect.
          await (isUnsure ? tombstone : new Promise((done) => setTimeout(done, 50)));
        },
      });
      let tombstone: Promise<{ status: number; body: unknown }> | undefined;
      // Where there is no transaction to wait for, the result is not known yet: the answer asks the sender to ask again.
      const isUnsure = scene.store.guarantee === 'mark_first';
      const id = newId();
      expect(await post({ id })).toMatchObject({ status: 200, receipt: 'new' });
      expect(await tombstone).toMatchObject(isUnsure ? { status: 503 } : { status: 200, body: { state: 'received' } });
      expect(await refuse(id, nowSeconds())).toMatchObject({ body: { state: 'received' } });
      expect(await scene.count(id)).toBe(1);
    });

    test('whoever cannot sign gets 401, and nothing is stored', async () => {
      const { post, ask, refuse } = await start();
      const [id, time] = [newId(), nowSeconds()];
      const foreign = { secret: createHmacSecret() };
      expect(await post({ id, ...foreign })).toMatchObject({ status: 401, body: { code: 'signature.mismatch' } });
      expect(await post({ id, timestamp: time - 301 })).toMatchObject({ body: { code: 'timestamp.too_old' } });
      expect(await post({ id, timestamp: time + 330 })).toMatchObject({ body: { code: 'timestamp.too_new' } });
      expect(await post({ id, headers: { 'webhook-signature': '' } })).toMatchObject({ status: 401 });
      expect(await refuse(id, time, foreign)).toMatchObject({ status: 401 });
      expect(await ask(id, foreign)).toMatchObject({ status: 401 });
      expect(await ask(id)).toMatchObject({ status: 404, body: { state: 'unknown' } });
      expect(await scene.count(id)).toBe(0);
    });

    test('what was signed for one id or one purpose serves no other', async () => {
      const { post, ask, refuse } = await start();
      const [id, other] = [newId(), newId()];
      expect(await ask(id, { id: other })).toMatchObject({ status: 401, body: { code: 'id.mismatch' } });
      expect(await refuse(id, 1, { id: other })).toMatchObject({ status: 401, body: { code: 'id.mismatch' } });
      // A signed question or tombstone that an attacker replays as an event.
      expect(await post({ id, body: '' })).toMatchObject({ status: 400, body: { code: 'body.malformed' } });
      expect(await post({ id, body: '{"refuse_until":1}' })).toMatchObject({ status: 400 });
      expect(await ask(id)).toMatchObject({ status: 404, body: { state: 'unknown' } });
    });

    test.each(['soon', 1.5, -1, null, 1e15])('refuse_until %j is no time', async (until) => {
      const { refuse } = await start();
      expect(await refuse(newId(), until)).toMatchObject({ status: 400, body: { code: 'body.malformed' } });
    });

    test.each([
      ['text/plain', {}],
      ['application/cloudevents-batch+json', {}],
      ['application/json', { 'content-encoding': 'gzip' }],
    ])('%s %j is not received', async (type, headers) => {
      const { post } = await start();
      const answer = await post({ headers: { 'content-type': type, ...headers } });
      expect(answer).toMatchObject({ status: 415, body: { code: 'body.type' } });
    });

    test('application/json is received as well, with parameters', async () => {
      const { post } = await start();
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
      expect(await post({ headers })).toMatchObject({ status: 200 });
    });

    test('a body over the limit is not read to its end', async () => {
      const { post, ask } = await start({ maxBytes: 500 });
      const [fits, exceeds] = [400, 600].map((length) => JSON.stringify({ type: 'x', text: 'y'.repeat(length) }));
      const id = newId();
      expect(await post({ id, body: exceeds })).toMatchObject({ status: 413, body: { code: 'body.too_large' } });
      expect(await ask(id)).toMatchObject({ status: 404 });
      expect(await post({ body: fits })).toMatchObject({ status: 200 });
    });

    test('other methods are named, other paths are left to the application', async () => {
      const { send } = await start();
      for (const [path, allow] of [
        [PATH, 'POST'],
        [`${PATH}/receipts/x`, 'GET, PUT'],
      ] as const) {
        const reply = await send(path, { method: 'DELETE' });
        expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow]);
      }
      expect((await send('/elsewhere', { method: 'POST', body: '{}' })).status).toBe(299);
    });

    test('two secrets are good at once while keys change', async () => {
      const next = createHmacSecret();
      const { post } = await start({ secrets: [next, SECRET] });
      for (const secret of [SECRET, next]) expect(await post({ secret })).toMatchObject({ status: 200 });
    });
  });
}
