import { z } from 'zod';
import type { Kind } from '../../platform/kinds/resource.js';
import type { QuotaName } from '../../lifecycle/kinds/quota.js';
import type { DeploymentMetrics as Metrics } from '../../lifecycle/kinds/measurement.js';
import { LINEAGE_KINDS, type LineageGraph } from '../../lifecycle/kinds/lineage.js';
import { replySchema, requestSchema } from '../json-schema.js';
import type { JsonSchema } from '../json-schema.js';
import { describeFields } from './field-texts.js';
import { ConnectionTest } from '../../lifecycle/kinds/connection-test.js';
import { KIND_ROWS } from './kinds.js';
import type { KindRow } from './kinds.js';
import { PipelineRunSpec, PipelineRunStatus, ScheduleReply } from './pipeline-status.js';
import { DeploymentRevision } from './rollout.js';
import { ImageVerification } from './image-verification-reply.js';

const Time = z.iso.datetime();

const ErrorBody = z.object({
  message: z.string().meta({ description: 'one sentence; the only key that every version of a client reads' }),
  code: z.string().meta({ description: 'machine word that never changes meaning' }),
  requestId: z.string(),
  errors: z
    .array(
      z.object({
        path: z.string().meta({ description: 'dotted path from the top of the body' }),
        pointer: z.string().meta({ description: 'the same as a JSON pointer (RFC 6901)' }),
        code: z.string(),
        message: z.string(),
      }),
    )
    .optional(),
});

/** A caller with an API key, and the owner of a pipeline, have a subject alone. */
const Caller = z.object({ sub: z.string(), name: z.string().optional(), email: z.string().optional() });

const AuditRecord = z.object({
  id: z.string(),
  at: Time,
  user: Caller,
  action: z.string(),
  kind: z.string(),
  entityId: z.string(),
  generation: z.int().optional(),
  changes: z.array(z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
  requestId: z.string(),
});

const Lineage = z.object({
  root: z.array(z.string()).meta({ description: 'keys of what was asked for' }),
  nodes: z.array(
    z.object({
      key: z.string().meta({ description: 'names the node in this reply' }),
      kind: z.enum(LINEAGE_KINDS),
      id: z.string(),
      facts: z
        .record(z.string(), z.unknown())
        .meta({ description: 'what is known of it; the keys depend on the kind' }),
    }),
  ),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string().meta({ description: 'key of what came of `from`' }),
      relation: z.string().meta({ description: 'made, used by, started, reused or answered' }),
    }),
  ),
  truncated: z.boolean().meta({ description: 'there is more than is shown' }),
}) satisfies z.ZodType<LineageGraph>;

const line = z.record(z.string(), z.unknown());
const InferenceRecord = z.object({
  requestId: z.string(),
  calls: z.array(
    z.object({
      at: z.string(),
      request: line.optional().meta({ description: 'the record of `request_response`; absent after its time' }),
      response: line.optional().meta({ description: 'the record of `response_body`' }),
      detail: line.optional().meta({ description: 'deployment, revision, replica and latency' }),
    }),
  ),
  feedback: z.array(line),
  truncated: z.boolean().meta({ description: 'the id has more than the 10 newest that are shown' }),
});

const UserInfo = z.object({
  username: z.string(),
  email: z.string(),
  sub: z.string(),
  roles: z.array(z.string()),
});

const Usage = z.object({ used: z.string(), limit: z.string() });
const QuotaUsage = z.object({
  replicas: Usage,
  cpu: Usage,
  memory: Usage,
  jobs: Usage,
  storage: Usage,
  datasets: Usage,
  subscriptions: Usage,
  imports: Usage,
} satisfies Record<QuotaName, typeof Usage>);

const Quota = z.object({ owner: QuotaUsage, installation: QuotaUsage });

const DeploymentMetrics = z.object({
  id: z.string(),
  state: z.string(),
  availability: z.number().meta({
    description: 'share of the replicas that take requests; without replicas, 1 while the deployment is ready',
  }),
  replicas: z.int(),
  availableReplicas: z.int(),
  restarts: z.int().optional().meta({ description: 'since the present worker supervises the replicas' }),
  cpuCores: z.number().optional().meta({ description: 'of all replicas together; absent until it is measured' }),
  memoryBytes: z.number().optional(),
  windowSeconds: z.int().meta({ description: 'the time that the counts of calls cover' }),
  requests: z.int(),
  failed: z.int().meta({ description: 'calls that were answered with a 5xx' }),
  inflight: z.int(),
  latencySeconds: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).optional(),
}) satisfies z.ZodType<Metrics>;

const event = (payload: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    events: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          entityID: { type: 'string' },
          payload,
          type: { type: 'string' },
          datetime: { type: 'string', format: 'date-time' },
        },
        required: ['entityID', 'payload', 'type', 'datetime'],
        additionalProperties: false,
      },
    },
    cursor: { type: 'integer' },
  },
  required: ['events', 'cursor'],
  additionalProperties: false,
});

/** `kind` comes first; fields that only the service writes are ignored in requests. */
function resourceSchema({ kind, spec, status }: Pick<KindRow, 'kind' | 'spec' | 'status'>): JsonSchema {
  const text: JsonSchema = { type: 'string' };
  const time: JsonSchema = { type: 'string', format: 'date-time' };
  return {
    type: 'object',
    properties: {
      kind: { type: 'string', const: kind },
      id: text,
      spec: describeFields(kind, replySchema(spec)),
      status: replySchema(status),
      generation: { type: 'integer', description: 'rises with every change of spec and every rerun' },
      createdAt: time,
      updatedAt: time,
      createdBy: text,
      updatedBy: text,
      default: { type: 'boolean', description: 'the default route of a deployment' },
      deletionMark: { type: 'boolean' },
    },
    required: ['kind', 'id', 'spec', 'status', 'generation', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'],
    additionalProperties: false,
  };
}

/** The schema of a body that a client writes. */
export const bodySchema = ({ kind, spec, required, drawsId }: KindRow): JsonSchema => ({
  type: 'object',
  properties: {
    kind: { type: 'string', const: kind },
    id: { type: 'string', ...(drawsId && { description: 'ignored: the server draws one' }) },
    spec: describeFields(kind, requestSchema(spec, required)),
  },
  required: drawsId ? ['spec'] : ['id', 'spec'],
});

export const bodyName = (kind: Kind): string => `${kind}Request`;

/** `components/schemas` of the document. */
export function componentSchemas(): Record<string, JsonSchema> {
  const kinds = KIND_ROWS.flatMap((row) => [
    [row.kind, resourceSchema(row)] as const,
    [bodyName(row.kind), bodySchema(row)] as const,
  ]);
  return {
    ...Object.fromEntries(kinds),
    PipelineRun: resourceSchema({ kind: 'PipelineRun', spec: PipelineRunSpec, status: PipelineRunStatus }),
    PipelineSchedule: replySchema(ScheduleReply),
    Error: replySchema(ErrorBody),
    Message: replySchema(z.object({ message: z.string() })),
    AuditRecord: replySchema(AuditRecord),
    Lineage: replySchema(Lineage),
    InferenceRecord: replySchema(InferenceRecord),
    Quota: replySchema(Quota),
    ConnectionTest: replySchema(ConnectionTest),
    DeploymentRevision: replySchema(DeploymentRevision),
    ImageVerification: replySchema(ImageVerification),
    DeploymentMetrics: replySchema(DeploymentMetrics),
    UserInfo: replySchema(UserInfo),
    DeploymentEvents: event({ type: 'object' }),
    RouteEvents: event({ type: 'object' }),
    Configuration: { type: 'object', description: 'public settings of the installation' },
  };
}
