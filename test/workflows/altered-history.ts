interface Event {
  eventId: string;
  eventType: string;
  [attributes: string]: unknown;
}
interface History {
  events: Event[];
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');
const JSON_ENCODING = toBase64('json/plain');
const payload = (value: unknown) => ({ metadata: { encoding: JSON_ENCODING }, data: toBase64(JSON.stringify(value)) });

/** Adds a member to the results of activities. @param members values by the number of the activity, from 1 on */
export function withResults(history: History, members: Record<number, object>): History {
  let number = 0;
  const events = history.events.map((event) => {
    const ended = event.activityTaskCompletedEventAttributes as
      { result: { payloads: { data: string }[] } } | undefined;
    if (ended === undefined) return event;
    number += 1;
    const result = JSON.parse(Buffer.from(ended.result.payloads[0]?.data ?? '', 'base64').toString());
    const payloads = [payload({ ...result, ...members[number] })];
    return { ...event, activityTaskCompletedEventAttributes: { ...ended, result: { payloads } } };
  });
  return { events };
}

/** The events that a patch records where it takes effect. */
export const patchEvents = (id: string) => [
  {
    eventType: 'EVENT_TYPE_MARKER_RECORDED',
    markerRecordedEventAttributes: {
      markerName: 'core_patch',
      details: { 'patch-data': { payloads: [payload({ id, deprecated: false })] } },
    },
  },
  attributeEvent('TemporalChangeVersion', 'KeywordList', [id]),
];

/** The event of a search attribute that a workflow sets. */
export const attributeEvent = (name: string, type: string, value: unknown) => {
  const { metadata, data } = payload(value);
  const field = { metadata: { ...metadata, type: toBase64(type) }, data };
  return {
    eventType: 'EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
    upsertWorkflowSearchAttributesEventAttributes: { searchAttributes: { indexedFields: { [name]: field } } },
  };
};

/** Inserts events after a workflow task that completed; the ids of later events move. */
export function withEvents(history: History, after: number, added: { eventType: string }[]): History {
  const completed = history.events[after - 1];
  if (completed?.eventType !== 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED')
    throw new Error(`event ${after} is no end of a task`);
  const moved = (key: string, value: unknown): unknown =>
    /^(eventId|\w+EventId)$/.test(key) && Number(value) > after ? String(Number(value) + added.length) : value;
  const inserted = added.map(({ eventType, ...attributes }, n) => {
    const each = Object.entries(attributes).map(([key, value]) => [
      key,
      { ...(value as object), workflowTaskCompletedEventId: String(after) },
    ]);
    const { eventTime, taskId } = completed;
    return { eventId: String(after + n + 1), eventTime, taskId, eventType, ...Object.fromEntries(each) };
  });
  const rest = JSON.parse(JSON.stringify(history.events.slice(after)), moved) as Event[];
  return { events: [...history.events.slice(0, after), ...inserted, ...rest] };
}
