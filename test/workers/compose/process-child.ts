import { writeFileSync } from 'node:fs';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { runProcess } from '../../../workers/compose/process.js';

/** A process of the platform that says what it does, with a start and an end as its arguments say. */
const [, , start = 'ready', end = 'clean'] = process.argv;

await runProcess('child', async ({ settings, startup }) => {
  console.log(`port ${settings.SLIPWAY_API_PORT}`);
  if (start === 'writes') writeFileSync(end, '');
  if (start === 'fails') throw new Error('the database is away');
  const busy = setInterval(() => undefined, 1_000);
  if (start === 'waits') {
    await startup.awaitService('the database', () =>
      Promise.reject(new SlipwayError('unavailable', 'the database does not answer')),
    );
  }
  if (start === 'hangs') await new Promise(() => undefined);
  return async () => {
    console.log('closing');
    clearInterval(busy);
    if (end === 'slow') await new Promise((resolve) => setTimeout(resolve, 50));
    if (end === 'fails') throw new Error('a connection hangs');
    console.log('closed');
  };
});
