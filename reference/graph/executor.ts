import { lookUp } from '../dataset/lookup-query.js';
import type { LookupHit } from '../lookup/lookup-index.js';
import { type ConnectionWriterOptions, createConnectionWriter } from './connection-writer.js';
import { objectText } from './json-object.js';
import type { DatasetState } from './field-meaning.js';
import type { Plan } from './plan.js';
import type { ReadContext } from './read-context.js';
import { createRowWriter, misplaced, type RowWriterOptions } from './row-writer.js';
import type { PlannedField, Work } from './planned-field.js';

export interface ExecutorOptions extends Pick<RowWriterOptions, 'rowsOf'>, Pick<ConnectionWriterOptions, 'cursors'> {}

/**
 * Executes plans level by level: all rows of a level are read together, whatever fields select them, and each row is
 * written once however often it occurs.
 *
 * Created once per process: creating the closures for each request would take as long as the execution.
 * @returns the text of `data`
 * @throws GraphQLError at the field whose cursor does not fit; there are no partial answers
 */
export function createExecutor({ cursors, rowsOf }: ExecutorOptions) {
  const writer = createRowWriter({
    rowsOf,
    writeReferring: (reading, field, objects) => connections.writeReferring(reading, field, objects),
  });
  const connections = createConnectionWriter({ cursors, writer });

  async function writeRoot(reading: ReadContext, field: PlannedField): Promise<string> {
    const { work, members: fields } = field;
    if (work.kind === 'rows') return connections.writeSearch(reading, field);
    if (work.kind === 'ids') {
      const ids = work.ids.map(String);
      const { textOf } = await writer.writeIds(reading, { ...field, view: work.view }, ids);
      return work.list ? `[${ids.map(textOf).join(',')}]` : textOf(ids[0]);
    }
    if (work.kind === 'lookup') return writeHits(reading, fields, work);
    if (work.kind === 'datasets') {
      const written = reading.states.map((state) =>
        objectText(fields, (index) => writeState(fields[index]?.work, state)),
      );
      return `[${written.join(',')}]`;
    }
    if (work.kind === 'introspection') return reading.introspected.get(field.path[0] ?? '') ?? 'null';
    if (work.kind === 'typename') return work.text;
    throw misplaced(work, 'a query');
  }

  async function writeHits(
    reading: ReadContext,
    fields: readonly PlannedField[],
    { view, lookup }: Extract<Work, { kind: 'lookup' }>,
  ): Promise<string> {
    const { hits } = await lookUp(view, { ...lookup, version: view.version });
    const found = hits.map(({ row }) => row);
    const nodes = await Promise.all(
      fields.map(async (field) =>
        field.work.kind === 'node' ? writer.writeRows(reading, { ...field, view }, found) : undefined,
      ),
    );
    const texts = hits.map((hit, at) =>
      objectText(fields, (index) => nodes[index]?.written[at]?.text ?? writeMatch(fields[index]?.work, hit)),
    );
    return `[${texts.join(',')}]`;
  }

  return async ({ members }: Plan, reading: ReadContext): Promise<string> => {
    const texts = await Promise.all(members.map((member) => writeRoot(reading, member)));
    return objectText(members, (index) => texts[index]);
  };
}

function writeMatch(work: Work | undefined, hit: LookupHit): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'match' ? work.write(hit) : undefined;
}

function writeState(work: Work | undefined, state: DatasetState): string | undefined {
  if (work?.kind === 'typename') return work.text;
  return work?.kind === 'dataset_state' ? work.write(state) : undefined;
}
