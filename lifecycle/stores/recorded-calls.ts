import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { Finding } from './findings.js';
import type { IndexRow } from './index-file.js';
import type { RecordIndex } from './record-index.js';
import { readRecords, type RecordLine } from './record-lines.js';
import { hourPath, type RecordTag, recordRoot, SPOOL_PART, timeText, versionFolder } from './record-path.js';

/** A call or a feedback of a request id with its records; one that was removed after its time is absent. */
export interface Recorded {
  finding: Finding;
  request?: RecordLine | undefined;
  response?: RecordLine | undefined;
  detail?: RecordLine | undefined;
  feedback?: RecordLine | undefined;
}

export interface RecordedCalls {
  /** The newest calls and feedback of a request id, oldest first. @throws unavailable */
  read(requestId: string): Promise<{ found: Recorded[]; truncated: boolean }>;
}

interface RecordedCallsOptions {
  objects: Pick<ObjectStore, 'list' | 'open'>;
  index: Pick<RecordIndex, 'find'>;
  /** Key prefix of inference records. */
  prefix?: string;
}

/** Callers may use one id for many calls; each may have two bodies of 1 MiB. */
const MOST = 10;

/** Reads records back. The index names the file of the responses; the other files of the same upload have its part. */
export function createRecordedCalls({ objects, index, prefix = '' }: RecordedCallsOptions): RecordedCalls {
  async function fileOf(tag: RecordTag, { model, version, part }: IndexRow, at: number): Promise<string | undefined> {
    const hour = `${recordRoot(prefix)}${versionFolder(tag, model, version)}/${hourPath(at)}`;
    for await (const { key, metadata } of objects.list(`${hour}_`, { details: true })) {
      if (metadata[SPOOL_PART] === part) return key;
    }
    return undefined;
  }

  async function lineIn(key: string | undefined, id: string, at: number): Promise<RecordLine | undefined> {
    if (key === undefined) return undefined;
    try {
      for await (const line of readRecords(objects, key)) {
        if (line?.fields.request_id === id && line.fields.time === timeText(at)) return line;
      }
    } catch (err) {
      if (!(err instanceof SlipwayError) || err.code !== 'not_found') throw err;
    }
    return undefined;
  }

  async function recordsOf(id: string, finding: Finding): Promise<Recorded> {
    const { at, row } = finding;
    if (row.kind === 'feedback') return { finding, feedback: await lineIn(row.key, id, at) };
    const lineOf = async (tag: RecordTag) => lineIn(await fileOf(tag, row, at), id, at);
    const [request, response, detail] = await Promise.all([
      lineOf('request_response'),
      lineIn(row.key, id, at),
      lineOf('inference_detail'),
    ]);
    return { finding, request, response, detail };
  }

  return {
    async read(requestId) {
      const findings = (await index.find([requestId])).get(requestId) ?? [];
      const found: Recorded[] = [];
      for (const finding of findings.slice(-MOST)) found.push(await recordsOf(requestId, finding));
      return { found, truncated: findings.length > MOST };
    },
  };
}
