import { startTestReference } from '../../../api/reference/test-reference.js';
import { borrow } from './lent-database.js';
import { stopAt } from './points.js';

/** A process to be killed: it takes an operator action, and dies after the first write of it. */
export interface Decided {
  id: string;
  verb: 'resend' | 'confirm' | 'cancel';
  sequence: number;
}

const { id, verb, sequence } = JSON.parse(process.argv[2] ?? '') as Decided;
const stop = (): Promise<never> => {
  process.send?.({ reached: id });
  return new Promise(() => {});
};
const api = await startTestReference({
  database: stopAt('behind the first write of a decision', borrow(), stop),
});
const { status, text } = await api.call('POST', `/v2/subscriptions/${id}/deliveries/${sequence}/${verb}`);
throw new Error(`it was answered ${status}: ${text}`);
