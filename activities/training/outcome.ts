import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { OUTPUT, takeFolder } from '../shared/job.js';
import { readAtMost } from '../shared/read-at-most.js';
import { withScratchFolder } from './workspace.js';

const MAX_BYTES = 2 ** 20;
const MAX_VALUES = 1_000;

const text = z.string().max(2_000).nullish().catch(undefined);
/** The entries of a map that are what they should be; a metric that is no number must not hide the others. */
const entriesOf = <T>(value: z.ZodType<T>) =>
  z.record(z.string(), z.unknown()).transform((all): Record<string, T> => {
    const entries = Object.entries(all).flatMap(([key, each]) => {
      const parsed = value.safeParse(each);
      return parsed.success ? [[key, parsed.data] as const] : [];
    });
    return Object.fromEntries(entries.slice(0, MAX_VALUES));
  });

const Outcome = z
  .object({
    reason: text,
    message: text,
    userExitCode: z.int().nullish().catch(undefined),
    runId: text,
    params: entriesOf(z.string().max(2_000)).catch({}),
    metrics: entriesOf(z.number()).catch({}),
  })
  .catch({ params: {}, metrics: {} });

/** The runner's own report of its end; a hint for messages, never trusted for success. */
export type Outcome = z.infer<typeof Outcome>;

/** Reads it from the container's output, where the user's program may have written over it. */
export async function readOutcome(engine: EngineDriver, handle: Handle): Promise<Outcome> {
  return withScratchFolder(async (scratch) => Outcome.parse(await readJson(engine, handle, scratch)));
}

async function readJson(engine: EngineDriver, handle: Handle, scratch: string): Promise<unknown> {
  try {
    await takeFolder(engine, handle, `${OUTPUT}/.slipway`, scratch);
  } catch (err) {
    if (err instanceof SlipwayError && err.code === 'validation_failed') return undefined;
    throw err;
  }
  try {
    const source = await readAtMost(createReadStream(join(scratch, 'outcome.json')), MAX_BYTES);
    return source && JSON.parse(source);
  } catch {
    return undefined;
  }
}
