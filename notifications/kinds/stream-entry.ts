import type { EventEntry } from '../../platform/kinds/platform-event.js';
import type { LogEntry } from '../../reference/dataset/change.js';

/** An entry of any stream that events come from: the log of a dataset or an event stream. */
export type StreamEntry = LogEntry | EventEntry;
