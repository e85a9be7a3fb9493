import type { Projection } from '../../reference/projection.js';
import { parseRow } from '../../reference/row-judge.js';
import { createRowWriter, type IdForm } from '../../reference/row-writer.js';
import type { DatasetSpec } from '../../resources/dataset.js';
import { SlipwayError } from '../../resources/errors.js';

export interface Rendering {
  spec: DatasetSpec;
  ids: IdForm;
  projection?: Projection | undefined;
}

/** Writes stored rows in the form that was asked for; as they are stored when nothing else was. */
export function createRenderer({ spec, ids, projection }: Rendering): (bytes: Buffer) => string {
  if (ids === 'string' && projection === undefined) return (bytes) => bytes.toString();
  const write = createRowWriter({ fields: projection?.fields ?? spec.fields }, { ids });
  return (bytes) => {
    const row = parseRow(spec, bytes.toString());
    if (row === undefined) throw new SlipwayError('internal', 'a stored row does not fit its declaration');
    return write(row);
  };
}
