import { Router } from '@koa/router';
import type { Settings } from '../../config.js';
import { createRecordRedactions, type RecordRedaction } from '../../lifecycle/kinds/record-redaction.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { RecordLine } from '../../lifecycle/stores/record-lines.js';
import type { Recorded, RecordedCalls } from '../../lifecycle/stores/recorded-calls.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import { toUser } from '../http/audit-record.js';
import type { ApiState, Step } from '../http/state.js';

export interface RecordRoutesDeps {
  recordedCalls: RecordedCalls;
  endpoints: Pick<EndpointStore, 'list'>;
  audit: Pick<AuditStore, 'append'>;
  settings: Pick<Settings, 'SLIPWAY_LINEAGE_DAYS'>;
}

/** Recorded bodies end at 1 MiB and a mark. */
const LARGEST_BYTES = 2 * 1_024 ** 2;

/** `GET /api/v1/record/{request id}`: what was recorded of a call, and the feedback on it. */
export function recordRoutes({ recordedCalls, endpoints, audit, settings }: RecordRoutesDeps) {
  const redactionOf = createRecordRedactions({ mostBytes: LARGEST_BYTES });

  const read: Step = async (ctx) => {
    const { id = '' } = ctx.params ?? {};
    const { found, truncated } = await recordedCalls.read(id);
    if (found.length === 0) {
      const days = settings.SLIPWAY_LINEAGE_DAYS;
      const message = `nothing is recorded of the request id "${id}"; records appear a minute or two after a call, and are found for ${days} days`;
      throw new SlipwayError('not_found', message);
    }
    const served = await endpoints.list();
    // Values that the rules of now remove were perhaps recorded before there were such rules.
    const redact = ({ finding: { row } }: Recorded): RecordRedaction => {
      const rules = served.filter(
        ({ modelName, modelVersion }) => modelName === row.model && modelVersion === row.version,
      );
      return redactionOf(rules.flatMap(({ records }) => records?.redact ?? []));
    };
    await audit.append({
      ...{ user: toUser(ctx.state.caller), action: 'read', kind: 'InferenceRecord', entityId: id },
      ...{ changes: [], requestId: ctx.state.requestId },
    });
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'json';
    const calls = found.flatMap((each) => (each.finding.row.kind === 'call' ? [callText(each, redact(each))] : []));
    const feedback = found.flatMap((each) => feedbackText(each, redact(each)) ?? []);
    ctx.body = `{"requestId":${JSON.stringify(id)},"calls":[${calls.join(',')}],"feedback":[${feedback.join(',')}],"truncated":${truncated}}`;
  };

  return new Router<ApiState>({ prefix: '/api/v1/record' }).get('/:id', read);
}

/** The records as they were written: a parser would change integers beyond 2^53. */
function callText({ finding, request, response, detail }: Recorded, redaction: RecordRedaction): string {
  const { at } = finding;
  const members = [
    `"at":${JSON.stringify(new Date(at).toISOString())}`,
    ...member('request', request, ({ request_content, request_uri }) => ({
      request_content: redaction.body(Buffer.from(String(request_content)), false).toString(),
      request_uri: redaction.uri(String(request_uri)),
    })),
    ...member('response', response, ({ response_content }) => ({
      response_content: redaction.body(Buffer.from(String(response_content)), false).toString(),
    })),
    ...member('detail', detail, () => ({})),
  ];
  return `{${members.join(',')}}`;
}

function feedbackText({ feedback }: Recorded, redaction: RecordRedaction): string | undefined {
  if (feedback === undefined) return undefined;
  return lineText(feedback, ({ payload }) => {
    const { json } = payload as { json: unknown }; // as the gateway wrote it
    return { payload: { json: JSON.parse(redaction.json(JSON.stringify(json))) as unknown } };
  });
}

type Change = (fields: RecordLine['fields']) => Record<string, unknown>;

const member = (name: string, line: RecordLine | undefined, change: Change): string[] =>
  line === undefined ? [] : [`"${name}":${lineText(line, change)}`];

/** The line itself where the rules change nothing. */
function lineText({ text, fields }: RecordLine, change: Change): string {
  const changed = change(fields);
  const isSame = Object.entries(changed).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(fields[name]),
  );
  return isSame ? text : JSON.stringify({ ...fields, ...changed });
}
