import type { LogSink } from '../../platform/engines/driver.js';
import type { LogWriter } from '../../platform/stores/logs.js';

/**
 * Lines of a build or a push on their way into the log. A line that cannot be stored now stays with the writer; its
 * flush at the end of the step tells.
 */
export function lineSink(log: LogWriter, now: () => Date): LogSink {
  return (text) => {
    log.append({ at: now().toISOString(), stream: 'stdout', text }).catch(() => undefined);
  };
}
