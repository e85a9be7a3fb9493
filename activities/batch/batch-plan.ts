import { createReadStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { CONTAINER_UID, packFolder } from '../shared/archive.js';
import { WORKSPACE } from '../shared/job.js';
import { unpackFile } from '../shared/unpack.js';
import { openAt, refuseForGood, type StoreDeps } from '../training/training-source.js';
import { copyFailed, downloadObjects, refuseName, withScratchFolder } from '../training/workspace.js';
import { createRoom } from '../training/workspace-room.js';
import { type BatchImageDeps, pinImage } from './batch-image.js';

export interface BatchPlanDeps extends StoreDeps, BatchImageDeps {
  inferenceServices: ResourceStore<InferenceService>;
  /** The platform's bucket. */
  objects: ObjectStore;
  /** Most bytes of one input file, and of a model. */
  workspaceBytes?: number;
}

/** The work of a job, fixed at its start: a later change of its service or of its input folder does not change it. */
const BatchPlan = z.object({
  /** By digest. */
  image: z.string(),
  command: z.array(z.string()),
  args: z.array(z.string()),
  /** Where the program finds the model. */
  modelPath: z.string(),
  /** Object in the platform's bucket that holds the files of the model; absent where the image has it. */
  modelKey: z.string().optional(),
  /** Keys below the path of the data source, in order. */
  files: z.array(z.string()),
});
export type BatchPlan = z.infer<typeof BatchPlan>;

/** The list of them is kept in one object, and read by each step. */
const MOST_FILES = 10_000;
const MODEL = 'model';
const MODEL_FILES = { name: 'the files of a model', remedy: 'name a smaller folder in modelPath' };

const folderOf = ({ id, uid, generation }: RunRef): string => `batch-plans/${id}/${uid}/${generation}`;
const planKey = (ref: RunRef): string => `${folderOf(ref)}/plan.json`;
const modelKey = (ref: RunRef): string => `${folderOf(ref)}/model.tar.gz`;

/**
 * Decides what the job does, or reads what an earlier attempt decided.
 * @throws run_failed: SpecInvalid, DataCopyFailed, ImagePullFailed
 */
export async function preparePlan(
  deps: BatchPlanDeps,
  { ref, job, signal }: { ref: RunRef; job: InferenceJob; signal: AbortSignal },
): Promise<BatchPlan> {
  const { objects } = deps;
  if ((await objects.head(planKey(ref))) !== undefined) return readPlan(objects, ref);
  const { spec } = await requireService(deps, job);
  const { remote, local } = spec.modelRegistry;
  const hasModel = await stageModel(deps, ref, remote);
  const plan: BatchPlan = {
    image: await pinImage(deps, spec.image, signal),
    command: spec.command,
    args: spec.args,
    modelPath: hasModel ? `${WORKSPACE}/${MODEL}` : (local.modelPath ?? ''),
    ...(hasModel && { modelKey: modelKey(ref) }),
    files: await listFiles(deps, job),
  };
  await objects.put(planKey(ref), JSON.stringify(plan), { ifAbsent: true, contentType: 'application/json' });
  // Another attempt may have been faster.
  return readPlan(objects, ref);
}

export async function readPlan(objects: ObjectStore, ref: RunRef): Promise<BatchPlan> {
  return BatchPlan.parse(JSON.parse((await objects.read(planKey(ref))).toString('utf8')));
}

/** Removes what the platform's bucket has of a run. */
export async function removePlan(objects: ObjectStore, ref: RunRef): Promise<void> {
  for (const key of [planKey(ref), modelKey(ref)]) await objects.remove(key);
}

async function requireService(
  { inferenceServices }: Pick<BatchPlanDeps, 'inferenceServices'>,
  { spec }: InferenceJob,
): Promise<InferenceService> {
  const service = await inferenceServices.get(spec.inferenceServiceId);
  if (service !== undefined) return service;
  const message = `inference service "${spec.inferenceServiceId}" was deleted: create it again and rerun the job`;
  throw runFailed({ reason: 'SpecInvalid', message });
}

async function listFiles(deps: BatchPlanDeps, { spec }: InferenceJob): Promise<string[]> {
  const { connection = '', path } = spec.dataSource;
  const { workspaceBytes = Infinity } = deps;
  const files: string[] = [];
  const list = async (): Promise<void> => {
    const source = await openAt(deps, connection, path);
    for await (const { key, sizeBytes } of source.list('')) {
      if (key === '' || key.endsWith('/')) continue; // a folder, as consoles of object stores make them
      refuseName(key, key);
      if (sizeBytes > workspaceBytes) {
        const most = Number((workspaceBytes / 2 ** 30).toFixed(3));
        throw copyFailed(`input "${key}" has more than ${most} GiB (SLIPWAY_MAX_WORKSPACE_GIB): split it`);
      }
      files.push(key);
      if (files.length > MOST_FILES)
        throw copyFailed(`the data source has more than ${MOST_FILES} files: split it, or name a smaller path`);
    }
  };
  await list().catch(refuseForGood);
  if (files.length === 0) throw copyFailed(`connection "${connection}" has no files at "${path ?? ''}"`);
  return files;
}

/** Keeps the files of a model as they are now. @returns whether the model is not in the image */
async function stageModel(
  deps: BatchPlanDeps,
  ref: RunRef,
  { modelConnection, modelPath }: InferenceService['spec']['modelRegistry']['remote'],
): Promise<boolean> {
  if (modelConnection === undefined) return false;
  await withScratchFolder(async (scratch) => {
    const downloaded = join(scratch, 'downloaded');
    await mkdir(downloaded);
    const store = await openAt(deps, modelConnection, modelPath);
    const room = createRoom(deps.workspaceBytes, MODEL_FILES);
    const count = await downloadObjects(store, '', downloaded, { room }).catch(refuseForGood);
    if (count === 0) throw copyFailed(`connection "${modelConnection}" has no model at "${modelPath ?? ''}"`);
    const file = join(scratch, 'model.tar.gz');
    await packFolder(await unpacked(downloaded, join(scratch, MODEL)), file, { uid: CONTAINER_UID, prefix: MODEL });
    await deps.objects.put(modelKey(ref), createReadStream(file), { contentType: 'application/gzip' });
  });
  return true;
}

const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/;

/** An artifact is one archive: the program gets what is in it. */
async function unpacked(downloaded: string, folder: string): Promise<string> {
  const [name = '', ...others] = await readdir(downloaded);
  if (others.length > 0 || !ARCHIVE.test(name)) return downloaded;
  await mkdir(folder);
  await unpackFile(join(downloaded, name), folder).catch(refuseForGood);
  return folder;
}
