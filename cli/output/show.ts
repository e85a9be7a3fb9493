import type { Entity, Kind } from '../../client/index.js';
import type { Terminal } from '../terminal.js';
import { columnsOf } from './columns.js';
import type { Format } from './format.js';
import { toRows } from './table.js';

interface Shown {
  kind: Kind;
  entities: readonly Entity[];
  format: Format;
  /** Whether it is a list by its nature, whatever its length. */
  isList: boolean;
  now: number;
}

/** Prints entities of one kind. */
export async function show(terminal: Terminal, { kind, entities, format, isList, now }: Shown): Promise<void> {
  const text =
    format.form === 'data'
      ? await format.toText(entities, isList)
      : tableOf({ kind, entities, wide: format.wide, now });
  if (text !== '') terminal.out(text);
}

function tableOf({
  kind,
  entities,
  wide,
  now,
}: {
  kind: Kind;
  entities: readonly Entity[];
  wide: boolean;
  now: number;
}): string {
  if (entities.length === 0) return '';
  return toRows(columnsOf(kind, { wide }), entities, now);
}
