import { openLog } from '../../../workers/compose/log.js';

/** Writes as many lines as its parent asks for, each with its number, the last one as `fatal`, until it is left alone. */
const log = openLog('child', 'info');
let written = 0;
process.on('message', (lines: number) => {
  for (const last = written + lines; written < last - 1;) log.info({ n: (written += 1) }, 'a line of a busy process');
  log.fatal({ n: (written += 1) }, 'the last line of an unlucky process');
  process.send?.(written);
});
