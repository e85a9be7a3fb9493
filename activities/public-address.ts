import { lookup as resolve } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';
import { SlipwayError } from '../resources/errors.js';

/**
 * Connections to public addresses only. The name is resolved once and the connection goes to the very address that was
 * judged, so a name that changes its address in between leads nowhere else. Redirects are the caller's affair.
 * @param allowPrivate lets everything through, for installations whose receivers are in their own network
 */
export function createPublicAgent({ allowPrivate }: { allowPrivate: boolean }): Agent {
  return new Agent({
    connect: {
      timeout: 10_000,
      lookup: (hostname, options, callback) => {
        resolve(hostname, { ...options, all: true }, (err, addresses) => {
          if (err) return callback(err, '', 0);
          const allowed = addresses.filter(({ address }) => allowPrivate || isPublic(address));
          const [first] = allowed;
          if (first === undefined) return callback(notPublic(hostname), '', 0);
          return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
        });
      },
    },
  });
}

/** An address in the url itself is never looked up. @throws validation_failed */
export function requirePublicHost(url: URL, { allowPrivate }: { allowPrivate: boolean }): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(host) !== 0 && !isPublic(host)) throw notPublic(host);
}

/** Neither loopback nor private, link-local, multicast, reserved, or such an IPv4 address inside an IPv6 one. */
export function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast';
}

const notPublic = (host: string) =>
  new SlipwayError('validation_failed', `${host} is no public address; SLIPWAY_WEBHOOK_PRIVATE lets it through`);
