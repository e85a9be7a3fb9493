import { randomUUID } from 'node:crypto';
import { createHmacSecret, parseSigningKey } from '../../notifications/delivery/signing-keys.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import type { Mounted } from './frameworks.js';

export const SECRET = createHmacSecret();
export const PATH = '/hooks/slipway';
export const newId = (): string => `ntc_${randomUUID().replaceAll('-', '')}`;
export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
export const EVENT = {
  ...{ specversion: '1.0', id: 'evt_1', source: '/v2/datasets/positions', type: 'dataset.positions.updated' },
  data: { entity_id: '9007199254740993', name: 'Zürich' },
};

export interface Sent {
  id?: string;
  timestamp?: number;
  body?: string;
  secret?: string;
  headers?: Record<string, string>;
}

/** Sends requests as Slipway does, to a mounted receiver. */
export function createSender(mounted: Pick<Mounted, 'send'>) {
  const signed = ({ id = newId(), timestamp = nowSeconds(), secret = SECRET }: Sent, body: string) => ({
    ...signWebhook({ id, timestamp, body, keys: [parseSigningKey(secret)] }),
  });
  async function answer(replying: Promise<Response>) {
    const reply = await replying;
    const text = await reply.text();
    const { status, headers } = reply;
    return { status, headers, receipt: headers.get('webhook-receipt'), body: text && JSON.parse(text) };
  }
  return {
    post: (sent: Sent = {}) => {
      const { body = JSON.stringify(EVENT), headers } = sent;
      const all = { 'content-type': 'application/cloudevents+json', ...signed(sent, body), ...headers };
      return answer(mounted.send(PATH, { method: 'POST', body, headers: all }));
    },
    ask: (id: string, sent: Sent = {}) => {
      const headers = { ...signed({ id, ...sent }, ''), ...sent.headers };
      return answer(mounted.send(`${PATH}/receipts/${encodeURIComponent(id)}`, { headers }));
    },
    refuse: (id: string, until: unknown, sent: Sent = {}) => {
      const body = JSON.stringify({ refuse_until: until });
      const headers = { 'content-type': 'application/json', ...signed({ id, ...sent }, body), ...sent.headers };
      return answer(mounted.send(`${PATH}/receipts/${encodeURIComponent(id)}`, { method: 'PUT', body, headers }));
    },
  };
}
