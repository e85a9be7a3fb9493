import { setImmediate } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { SlipwayError } from '../../platform/kinds/errors.js';

const READS = ['GET', 'HEAD', 'OPTIONS'];
/** Turns of the event loop after which the end of a connection is read that came right behind its request. */
const TURNS = 2;

/**
 * Refuses a change whose client closed its connection before the work began, as while this process was suspended: the
 * client has given it up, or has repeated it elsewhere and may have made later changes since.
 */
export const refuseAbandoned: Middleware = async ({ method, req: { socket } }, next) => {
  if (!READS.includes(method)) {
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
    if (socket.readableEnded || socket.destroyed)
      throw new SlipwayError('unavailable', 'the client closed its connection before the change began');
  }
  await next();
};
