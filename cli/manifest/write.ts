import { isReferenceKind, type Entity, type EntityRequest, type Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { explain, OperationFailed } from '../failure.js';
import { drawsId, nameOf } from '../kinds.js';
import { colored } from '../output/state-color.js';
import type { OverrideOptions } from './override.js';
import type { Planned } from './plan.js';

interface WriteOptions extends OverrideOptions {
  force?: boolean | undefined;
}

export interface Written {
  entity: Entity;
  change: Planned['change'];
}

/**
 * Writes documents one after the other and reports each; the first that is refused ends it.
 * @throws OperationFailed, after it said what was applied and what was not
 */
export async function writeAll(
  { signal, terminal }: CliContext,
  slipway: Slipway,
  plan: readonly Planned[],
  report: (name: string, change: Planned['change']) => void,
  { overrideProtection, force }: WriteOptions,
): Promise<Written[]> {
  const written: Written[] = [];
  for (const [at, planned] of plan.entries()) {
    const name = nameOf(planned.document);
    try {
      const one = await write(slipway, planned, { overrideProtection, force, signal });
      written.push(one);
      // The id of a job is drawn by the server; of other kinds, the manifest may have a name in its place.
      report(drawsId(planned.document.kind) ? nameOf(one.entity) : name, one.change);
      // Shown this once: neither the server nor this program keeps it.
      if ('secret' in one.entity.status) terminal.out(`${name} secret ${one.entity.status.secret}`);
    } catch (error) {
      signal.throwIfAborted();
      const { exitCode, message = '' } = explain(error);
      terminal.note(
        `${terminal.paintNote('red', 'Error:')} ${planned.document.where}: ${name} was not applied: ${message}`,
      );
      const rest = plan.slice(at + 1).map(({ document }) => nameOf(document));
      terminal.note(
        `applied: ${listed(written.map(({ entity }) => nameOf(entity)))}; not applied: ${listed([name, ...rest])}`,
      );
      throw new OperationFailed(exitCode);
    }
  }
  return written;
}

const listed = (names: readonly string[]): string => names.join(', ') || 'nothing';

/** The server has the last word on whether something changed: it leaves the generation alone when nothing did. */
async function write(
  slipway: Slipway,
  { document, current, change }: Planned,
  options: WriteOptions & { signal: AbortSignal },
): Promise<Written> {
  const { signal } = options;
  const entities = slipway.entities(document.kind);
  const body = document.body as EntityRequest; // its shape was checked when it was read
  if (current === undefined) return { entity: await entities.create(body, { signal }), change: 'created' };
  if (drawsId(document.kind)) return { entity: current, change: 'unchanged' };
  const { generation } = current;
  // Every change of a subscription or a watch is a new generation, also one to the same settings.
  if (change === 'unchanged' && isReferenceKind(document.kind)) return { entity: current, change };
  const entity = await entities.replace(body, { ...options, generation });
  return { entity, change: entity.generation === generation ? 'unchanged' : 'updated' };
}

/** `training/wine created`, in colors. */
export const reportChange =
  (print: (text: string) => void, paint: CliContext['terminal']['paint'], more = '') =>
  (name: string, change: string): void =>
    print(`${name} ${colored(paint, change)}${more}`);
