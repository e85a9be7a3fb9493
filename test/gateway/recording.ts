import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, RequestHead } from '../../gateway/frame.js';
import { createSpool } from '../../gateway/spool.js';
import { createUploader } from '../../gateway/uploader.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { silent } from './silent.js';

/** Stores frames as gateway and uploader do, as one upload. */
export async function recordFrames(
  objects: ObjectStore,
  frames: readonly Frame[],
  { now = Date.now, prefix = '' }: { now?: () => number; prefix?: string } = {},
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-recording-'));
  const spool = await createSpool({ dir, log: silent });
  for (const frame of frames) await spool.append(frame);
  await createUploader({ spoolDir: dir, objects, log: silent, now, prefix }).runOnce({ all: true });
  await spool.close();
  await rm(dir, { recursive: true });
}

type CallFacts = Partial<RequestHead> & { at: number; requestId: string; request?: string; response?: string };

/** An answered call of the model `wine`. */
export function call({ request = '{}', response = '{}', ...facts }: CallFacts): Frame {
  const head: RequestHead = {
    kind: 'request',
    modelName: 'wine',
    modelVersion: '1',
    uri: '/model/wine/api/model/invoke',
    host: 'localhost',
    method: 'POST',
    requestHeaders: { 'content-type': 'application/json' },
    responseHeaders: { 'content-type': 'application/json' },
    status: 200,
    deployment: 'wine',
    deploymentUid: 'uid-of-wine',
    revision: '1',
    imageId: 'sha256:abc',
    replica: 'wine-r0',
    latencyMs: 1,
    truncated: false,
    ...facts,
  };
  return { head, first: Buffer.from(request), second: Buffer.from(response) };
}

interface FeedbackFacts {
  at: number;
  requestId: string;
  json: string;
  modelName?: string;
  modelVersion?: string;
}

/** Feedback on the model `wine`. */
export function feedback({ json, modelName = 'wine', modelVersion = '1', ...facts }: FeedbackFacts): Frame {
  const head = { kind: 'feedback' as const, modelName, modelVersion, ...facts };
  return { head, first: Buffer.from(json), second: Buffer.alloc(0) };
}
