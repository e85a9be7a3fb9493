import type { Projection } from '../../reference/dataset/projection.js';
import { parseValid, parseRow } from '../../reference/rows/row-validation.js';
import { createRowWriter, type IdForm } from '../../reference/rows/row-writer.js';
import type { RowStore } from '../../reference/rows/row-store.js';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import type { Missing } from './missing.js';

export interface Rendering {
  rows: RowStore;
  spec: DatasetSpec;
  ids: IdForm;
  projection?: Projection | undefined;
  missing: Missing | undefined;
}

/** Renders rows in the requested form; without options, as stored. */
export function createRenderer({ rows, spec, ids, projection, missing }: Rendering): (row: number) => string {
  const isStored = ids === 'string' && projection === undefined;
  const fields = projection?.fields ?? spec.fields;
  let write: ReturnType<typeof createRowWriter> | undefined;
  return (row) => {
    const text = rows.bytes(row).toString();
    if (isStored && !missing?.of(row).length) return text;
    write ??= createRowWriter({ fields }, { ids, isMissing: missing?.is });
    return write(parseRow(spec, text) ?? parseValid(spec, text));
  };
}
