import { randomUUID } from 'node:crypto';
import { createEventMatcher } from '../../../notifications/events/event-matcher.js';
import { createActivateSettings } from '../../../activities/notifications/activate-settings.js';
import { createFanOut } from '../../../activities/notifications/fan-out.js';
import { findOutboxHead } from '../../../activities/notifications/outbox-head.js';
import { beginningAfter, type DatasetLogBeginning } from '../../../reference/dataset/log-beginning.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { SourcePositions } from '../../../notifications/kinds/outbox-event.js';
import type { EventEntry, PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import { type Subscription, SubscriptionSpec } from '../../../notifications/kinds/subscription.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createProgressStore } from '../../../notifications/stores/subscription-progress.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';

export const SUBSCRIPTION = 'sub_a';
const AT = '2026-01-01T00:00:00.000Z';
const FIELDS = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled'] } } });

export const WIDER = DatasetSpec.parse({ fields: { status: { type: 'enum', values: ['Open', 'Filled', 'Lost'] } } });

/** Opens streams in memory and fan-outs that read them. */
export function openFanOutScene(wanted: object, begin: SourcePositions) {
  const database = createMemoryDatabase();
  const outbox = createOutbox({ database });
  const activateSettings = createActivateSettings({ outbox, progress: createProgressStore({ database }) });
  const streams = new Map<string, StreamEntry[]>();
  const begins = new Map<string, DatasetLogBeginning>();
  const beginning = (stream: string): DatasetLogBeginning => begins.get(stream) ?? { purgedTo: 0 };
  let subscription: Subscription = {
    ...{ kind: 'Subscription', id: SUBSCRIPTION, uid: 'u', generation: 1, revision: 1 },
    ...{ createdAt: AT, updatedAt: AT, createdBy: 'ana', updatedBy: 'ana' },
    spec: SubscriptionSpec.parse({ name: 'test', mode: 'pull', ...wanted }),
    status: {
      ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
      ...{ starts_at: begin, declarations: { positions: { fields: FIELDS.fields, generation: 1 } } },
    },
  };
  const entriesOf = (stream: string): StreamEntry[] => {
    const entries = streams.get(stream) ?? [];
    streams.set(stream, entries);
    return entries;
  };
  const openFanOut = async () =>
    createFanOut({
      ...{ subscription: SUBSCRIPTION, generation: subscription.generation, outbox },
      matcher: createEventMatcher(subscription),
      streamOf: (name) => ({
        read: async (position) => (position > beginning(name).purgedTo ? entriesOf(name)[position - 1] : undefined),
        beginning: async () => beginning(name),
      }),
      head: await findOutboxHead(outbox, subscription),
      settledThrough: () => 0,
      baseUrl: 'https://slipway.example',
    });
  const place = (stream: string) => ({ position: entriesOf(stream).length + 1, at: AT, token: randomUUID() });
  return {
    append: (stream: string, content: LogContent) => {
      const entry: LogEntry = { ...content, ...place(stream) };
      entriesOf(stream).push(entry);
    },
    emit: (event: PlatformEvent, repeated?: true) => {
      const entry: EventEntry = { kind: 'event', event, ...place('pipeline'), ...(repeated && { repeated }) };
      entriesOf('pipeline').push(entry);
    },
    /** Purges the entries up to a position. */
    trim: (stream: string, upTo: number): void => {
      const gone = entriesOf(stream).slice(beginning(stream).purgedTo, upTo);
      begins.set(stream, gone.reduce<DatasetLogBeginning>(beginningAfter, beginning(stream)));
    },
    /** Stores other settings; they count only after `activateSettings`. */
    edit: (filter: string): void => {
      const { spec, generation } = subscription;
      subscription = { ...subscription, spec: { ...spec, filter }, generation: generation + 1 };
    },
    activateSettings: (read?: SourcePositions) => activateSettings(subscription, read),
    openFanOut,
    /** Writes all new events with a fan-out that starts at the end of the outbox, as after a crash. */
    writeAll: async () => {
      const fanOut = await openFanOut();
      while ((await fanOut.writeBlock()).more) continue;
      return fanOut.head;
    },
    outbox,
    notices: async () => {
      const emitted: { type: string; subject: string; sequence: string; dataschema?: string; data: object }[] = [];
      for (let block = 1; ; block += 1) {
        const found = await outbox.read(SUBSCRIPTION, block);
        if (found === undefined) return emitted;
        for (const { body } of found.notices) emitted.push(JSON.parse(body));
      }
    },
  };
}

export const platformEvent = (key: string, data: object, type = 'pipeline.training.succeeded'): PlatformEvent => ({
  ...{ key, type, source: '/api/v1/model/training', subject: `training/${key}`, version: 2, at: AT },
  data: JSON.stringify({ kind: 'ModelTraining', id: key, version: 2, generation: 1, ...data }),
});

export const change = (id: string, status: string): Change => ({
  ...{ id, version: 1, at: AT, actor: 'ana', schema: 2, commit: randomUUID() },
  body: `{"id":"${id}","status":"${status}","version":1,"created_at":"${AT}","updated_at":"${AT}"}`,
});
export const POSITIONS_FROM_START = { positions: { position: 0, index: 0 } };
export const rise = (id: number, status: string): LogContent => ({
  kind: 'changes',
  changes: [change(String(id), status)],
});
export const subjectsOf = async ({ notices }: ReturnType<typeof openFanOutScene>) =>
  (await notices()).map(({ subject }) => subject);
