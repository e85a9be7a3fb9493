import { type DataConverter, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { isRecord } from '../../platform/kinds/lenient.js';

/** The parts that no codec sees: the server reads search attributes, and the core of the SDK writes markers of patches. */
const PLAIN = ['searchAttributes', 'upsertWorkflowSearchAttributesEventAttributes', 'markerRecordedEventAttributes'];

/** A kept history as a worker that encrypts would have left it: payloads, and the texts of failures. */
export async function encryptHistory(value: unknown, { payloadCodecs: [codec] = [] }: DataConverter): Promise<unknown> {
  const encrypted = async (payload: Payload): Promise<object> =>
    toJson((await codec?.encode([payload]))?.[0] ?? payload);

  async function walk(part: unknown): Promise<unknown> {
    if (Array.isArray(part)) return Promise.all(part.map(walk));
    if (!isRecord(part)) return part;
    if (isPayload(part)) return encrypted(fromJson(part));
    const entries = await Promise.all(Object.entries(part).map(async ([name, each]) => [name, await keep(name, each)]));
    const walked = Object.fromEntries(entries) as Record<string, unknown>;
    const { message, stackTrace = '', source } = walked;
    if (source !== 'TypeScriptSDK' || typeof message !== 'string') return walked;
    const attributes = defaultPayloadConverter.toPayload({ message, stack_trace: stackTrace });
    return { ...walked, message: 'Encoded failure', stackTrace: '', encodedAttributes: await encrypted(attributes) };
  }
  const keep = async (name: string, part: unknown): Promise<unknown> => (PLAIN.includes(name) ? part : walk(part));

  return walk(value);
}

interface PayloadJson {
  metadata: Record<string, string>;
  data?: string;
}
const isPayload = (part: Record<string, unknown>): part is Record<string, unknown> & PayloadJson =>
  isRecord(part.metadata) && typeof part.metadata.encoding === 'string';

const fromJson = ({ metadata, data = '' }: PayloadJson): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')])),
  data: Buffer.from(data, 'base64'),
});
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const toJson = ({ metadata, data }: Payload): object => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
  data: base64(data ?? new Uint8Array()),
});
