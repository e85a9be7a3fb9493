import { isIPv6 } from 'node:net';
import type { Settings } from '../../config.js';

/** The names by which clients and the gateway call this installation. */
export const ownHosts = (settings: Settings): string[] => [
  settings.SLIPWAY_BASE_URL,
  settings.SLIPWAY_HOST,
  settings.SLIPWAY_INTERNAL_HOST,
  ...settings.SLIPWAY_ALLOWED_HOSTS,
];

/** The address of the API behind the gateway. */
export const apiUrlOf = ({ SLIPWAY_INTERNAL_HOST: host, SLIPWAY_API_PORT: port }: Settings): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
