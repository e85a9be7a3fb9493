import { closestMatch } from 'leven';
import { isReferenceKind, type WritableKind } from '../../client/index.js';
import { createFindings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { ignoredFields, ignoredText } from '../../platform/kinds/ignored-fields.js';
import { isRecord } from '../../platform/kinds/record.js';
import { drawsId, isWritable, KIND_WORDS, nameOf } from '../kinds.js';
import type { ManifestDocument } from './document.js';
import { VALIDATORS } from './validators.js';
import type { RawDocument } from './parse.js';

export interface Checked {
  documents: ManifestDocument[];
  problems: string[];
  warnings: string[];
}

/** Everything that can be said of documents without a server. */
export function checkDocuments(given: readonly RawDocument[]): Checked {
  const documents: ManifestDocument[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  const first = new Map<string, string>();
  for (const raw of given) {
    const { where, at, value } = raw;
    if (!isRecord(value)) {
      problems.push(`${where}: a document is an object with kind, id and spec`);
      continue;
    }
    const kind = kindOf(value);
    if (typeof kind !== 'string') {
      problems.push(`${where}: ${kind.problem}`);
      continue;
    }
    const { id = '', spec = {} } = value;
    const body = { kind, id: String(id), spec: isRecord(spec) ? spec : {} };
    const document = { kind, id: body.id, body, where, at };
    for (const { path, message } of findingsOf(kind, { ...value, id: body.id }))
      problems.push(`${at(path)}: ${message}`);
    for (const path of isReferenceKind(kind) ? [] : ignoredFields(kind, value))
      warnings.push(`${at(path)}: ${ignoredText(path)}`);
    const earlier = document.id === '' ? undefined : first.get(nameOf(document));
    if (earlier !== undefined) problems.push(`${where}: ${nameOf(document)} is already defined at ${earlier}`);
    first.set(nameOf(document), earlier ?? where);
    documents.push(document);
  }
  return { documents, problems, warnings };
}

function kindOf({ kind }: Record<string, unknown>): WritableKind | { problem: string } {
  if (kind === undefined || kind === null) return { problem: 'the document has no kind' };
  const kinds = KIND_WORDS.map((row) => row.kind).filter(isWritable);
  const found = kinds.find((known) => known === kind);
  if (found !== undefined) return found;
  const given = typeof kind === 'string' ? kind : JSON.stringify(kind);
  const nearest = closestMatch(given, kinds, { maxDistance: 5 });
  return {
    problem: `unknown kind of object: "${given}"${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  };
}

/** The id, and what has a wrong type. */
function findingsOf(kind: WritableKind, body: Record<string, unknown> & { id: string }) {
  const candidate = VALIDATORS[kind]?.read(body) ?? { id: body.id, spec: {}, misfits: [] };
  const findings = createFindings(candidate);
  if (!isReferenceKind(kind) && !drawsId(kind)) checkId(findings, kind, candidate.id);
  return findings.all();
}
