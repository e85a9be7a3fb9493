import { SlipwayError } from '../../platform/kinds/errors.js';

/** How the command line names a delivery: `<subscription>/<sequence>`. */
export const deliveryName = ({ subscription, sequence }: { subscription: string; sequence: string }): string =>
  `${subscription}/${sequence}`;

/** The path of a delivery in the API. @throws validation_failed */
export function parseDelivery(text: string): { id: string; sequence: string } {
  const [, id, sequence] = /^([^/]+)\/([1-9]\d{0,14})$/.exec(text) ?? [];
  if (id !== undefined && sequence !== undefined) return { id, sequence };
  throw new SlipwayError(
    'validation_failed',
    `"${text}" is not a delivery: use <subscription>/<sequence>, as "slipway delivery list" shows it`,
  );
}
