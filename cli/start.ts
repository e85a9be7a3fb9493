import { outcomeOf, stateOf, type Entity, type WritableKind, type Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { nameOf, wordOf } from './kinds.js';
import type { ManifestDocument } from './manifest/document.js';
import type { OverrideOptions } from './manifest/override.js';
import { reportChange, writeAll, type Written } from './manifest/write.js';
import { finishAll, type WaitingOptions } from './progress/finish.js';
import { resultOf } from './progress/report-end.js';

export interface StartOptions extends WaitingOptions, OverrideOptions {
  /** Run again what is unchanged and has ended. */
  rerun?: boolean;
}

/** Applies documents and sees to it that those of `kind` run. @throws OperationFailed, timeout */
export async function startDocuments(
  context: CliContext,
  slipway: Slipway,
  { kind, documents, options }: { kind: WritableKind; documents: readonly ManifestDocument[]; options: StartOptions },
): Promise<void> {
  const { terminal, signal } = context;
  const { makePlan } = await import('./manifest/plan.js');
  const plan = await makePlan(slipway, documents, signal);
  // With `--wait`, the result goes to standard output.
  const report = options.wait
    ? reportChange(terminal.note, terminal.paintNote)
    : reportChange(terminal.out, terminal.paint);
  const written = await writeAll(context, slipway, plan, report, options);
  const mine = written.filter(({ entity }) => entity.kind === kind);
  for (const one of mine) await runIfEnded(context, slipway, one, options);
  await settle(
    context,
    slipway,
    mine.map(({ entity }) => entity),
    options,
  );
}

async function runIfEnded(
  context: CliContext,
  slipway: Slipway,
  { entity, change }: Written,
  { rerun }: StartOptions,
): Promise<void> {
  const isRun = entity.kind === 'ModelTraining' || entity.kind === 'ModelPackaging';
  if (change !== 'unchanged' || !isRun || outcomeOf(entity) === 'pending') return;
  if (rerun) return runAgain(context, slipway, entity);
  context.terminal.note(`${nameOf(entity)} has ${stateOf(entity)} before; --rerun runs it again`);
}

export async function runAgain(
  { terminal, signal }: CliContext,
  slipway: Slipway,
  entity: Entity<'ModelTraining' | 'ModelPackaging'>,
) {
  await slipway.rerun(entity.kind, entity.id, { signal });
  terminal.note(`${nameOf(entity)} runs again`);
}

/** Waits and prints what came of it: artifact, image or address; or says how to follow. */
export async function settle(
  context: CliContext,
  slipway: Slipway,
  entities: readonly Entity[],
  options: WaitingOptions,
): Promise<void> {
  const { terminal } = context;
  if (options.wait) {
    for (const end of await finishAll(context, slipway, entities, options)) terminal.out(resultOf(end, slipway.server));
    return;
  }
  const names = entities.filter((entity) => outcomeOf(entity) === 'pending').map(nameOf);
  if (names.length > 0) terminal.note(`follow with "slipway wait ${names.join(' ')}"`);
}

/** The one document of its kind. @throws validation_failed */
export function theOne(documents: readonly ManifestDocument[], kind: WritableKind): ManifestDocument {
  const [found, ...others] = documents.filter((document) => document.kind === kind);
  if (found !== undefined && others.length === 0) return found;
  const count = found === undefined ? 'none' : others.length + 1;
  throw new SlipwayError('validation_failed', `one ${wordOf(kind)} is needed in the manifests, there is ${count}`);
}

/** A document of options instead of a file. */
export const fromOptions = (kind: WritableKind, id: string, spec: Record<string, unknown>): ManifestDocument => ({
  ...{ kind, id, body: { kind, id, spec } },
  where: 'command line',
  at: () => 'command line',
});
