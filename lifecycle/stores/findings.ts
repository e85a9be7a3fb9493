import type { IndexEntry, IndexRow } from './index-file.js';

/** An index entry of one request id: a call that was answered, or feedback that was sent. */
export interface Finding {
  /** Milliseconds since 1970. */
  at: number;
  row: IndexRow;
}

/** The findings of each request id that was asked for. */
export type Findings = Map<string, Finding[]>;

export const createFindings = (ids: readonly string[]): Findings => new Map([...new Set(ids)].map((id) => [id, []]));

/** Adds the entries of one file; `rows` are the rows of the same file. */
export function addFindings(
  found: Findings,
  entries: readonly (Pick<IndexEntry, 'at' | 'row'> & { id: string })[],
  rows: readonly IndexRow[],
): void {
  for (const { id, at, row } of entries) addFinding(found.get(id) ?? [], at, rows[row]);
}

/** After an interrupted merge of files, one part is in two of them. */
function addFinding(findings: Finding[], at: number, row: IndexRow | undefined): void {
  if (row === undefined) return;
  const same = (one: Finding): boolean => one.at === at && one.row.part === row.part && one.row.key === row.key;
  if (!findings.some(same)) findings.push({ at, row });
}

export const hasCall = (findings: readonly Finding[] = []): boolean => findings.some(({ row }) => row.kind === 'call');

/** Puts the findings of each id in the order of time. */
export function sortFindings(found: Findings): Findings {
  for (const findings of found.values()) findings.sort((a, b) => a.at - b.at);
  return found;
}
