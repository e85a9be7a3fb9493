import { createHash } from 'node:crypto';
import type { PipelineRun, PipelineStepName } from '../../lifecycle/kinds/pipeline-run.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { Inputs, ReuseStore } from '../../lifecycle/stores/reuse.js';

/** The result of a reuse check before a step: the result to reuse, or the reason why there is none. */
export type Reuse<Result> = { key: string } & ({ result: Result } | { miss: string; lost?: Result });

interface Search<Result> {
  run: PipelineRun;
  /** The run before, to explain a miss. */
  previous: PipelineRun | undefined;
  step: PipelineStepName;
  inputs: Inputs;
  /** Why a known result cannot be used any more; `undefined`: it can. */
  lost: (result: Result) => Promise<string | undefined>;
}

/** Looks for the result of equal inputs. */
export async function findReusable<Result>(
  store: ReuseStore<Result>,
  { run, previous, step, inputs, lost }: Search<Result>,
): Promise<Reuse<Result>> {
  const key = await store.note(inputs);
  if (run.spec.noCache) return { key, miss: 'noCache is set' };
  const known = (await store.get(key))?.result;
  if (known !== undefined) {
    const miss = await lost(known);
    return miss === undefined ? { key, result: known } : { key, miss, lost: known };
  }
  const before = previous?.status.steps.find(({ name }) => name === step)?.inputs;
  if (previous === undefined || before === undefined) return { key, miss: 'nothing was made of these inputs before' };
  if (before === key) return { key, miss: `${previous.id} did not come to the end with these inputs` };
  const changed = changedNames((await store.get(before))?.inputs ?? {}, inputs);
  return { key, miss: `changed since ${previous.id}: ${changed.join(', ')}` };
}

function changedNames(before: Inputs, now: Inputs): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.filter((name) => before[name] !== now[name]);
}

/** SHA-256 over the names, sizes and checksums of all objects: it changes when any object is written again. */
export async function digestOfListing(objects: ObjectStore): Promise<string> {
  const hash = createHash('sha256');
  for await (const { key, sizeBytes, checksum } of objects.list('')) hash.update(`${key}\0${sizeBytes}\0${checksum}\n`);
  return hash.digest('hex');
}
