import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit, type Document, type Node } from 'yaml';
import { messageOf } from '../error-text.js';
import type { Source } from './files.js';

/** One object of a manifest, before anybody has said whether it is one of ours. */
export interface RawDocument {
  value: unknown;
  /** `file:line` of the object. */
  where: string;
  /** `file:line` of a field by its dotted path, or of its nearest parent. */
  at: (path: string) => string;
}

export interface Parsed {
  documents: RawDocument[];
  /** Sentences with file and line. */
  problems: string[];
}

/** Reads YAML of several documents, or JSON, which is YAML too; a list at the top level is read as its items. */
export function parseSource({ name, text }: Source): Parsed {
  const lines = new LineCounter();
  const documents: RawDocument[] = [];
  const problems: string[] = [];
  const place = (offset: number): string => `${name}:${lines.linePos(offset).line}`;
  for (const document of [parseAllDocuments(text, { lineCounter: lines, merge: true, prettyErrors: false })].flat()) {
    for (const { message, pos } of document.errors) problems.push(`${place(pos[0])}: ${message}`);
    const { contents } = document;
    if (document.errors.length > 0 || isNothing(contents)) continue;
    keepNumbersAsWritten(document);
    for (const node of isSeq(contents) ? contents.items : [contents]) {
      const { value, problem } = valueOf(node, document);
      if (problem !== undefined) problems.push(`${place(node.range[0])}: ${problem}`);
      else
        documents.push({
          value,
          where: place(node.range[0]),
          at: (path) => place(nearest(node, path.split('.')).range?.[0] ?? node.range[0]),
        });
    }
  }
  return { documents, problems };
}

/** Whether a document has no content; behind a `---` that is a null, and without one it is no node at all. */
const isNothing = (contents: unknown): contents is null =>
  contents === null || (isScalar(contents) && contents.value === null);

/** An alias without its anchor, or with a content beyond measure, is found when the value is made. */
function valueOf(node: Node, document: Document): { value?: unknown; problem?: string } {
  try {
    return { value: node.toJS(document) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/**
 * `version: 1.10` means the text `1.10`, which no number keeps: a number that would be written otherwise stays as its
 * author wrote it. Only `arguments` of packagings are numbers where they look like some.
 */
function keepNumbersAsWritten(document: Document): void {
  visit(document, {
    Pair: (_key, { key }) => (String(key) === 'arguments' ? visit.SKIP : undefined),
    Scalar: (_key, node) => {
      const { value, source } = node;
      if (typeof value === 'number' && source !== undefined && String(value) !== source) node.value = source;
    },
  });
}

function nearest(node: Node, keys: readonly string[]): Node {
  const [key, ...rest] = keys;
  if (key === undefined) return node;
  const inner: unknown = isMap(node) ? node.get(key, true) : isSeq(node) ? node.get(Number(key), true) : undefined;
  return isNode(inner) ? nearest(inner, rest) : node;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'range' in value;
