import { createTwoFilesPatch } from 'diff';
import { isRecord } from '../../platform/kinds/record.js';
import { nameOf } from '../kinds.js';
import { toYaml } from '../output/yaml.js';
import type { Terminal } from '../terminal.js';
import type { Planned } from './plan.js';

/** Prints the changes of a document as a unified diff; secrets are masked on both sides. */
export function differenceOf({ document, current, desired }: Planned): string {
  const { kind, id } = document;
  const before = current === undefined ? '' : `${toYaml({ kind, id, spec: current.spec })}\n`;
  const after = `${toYaml({ kind, id, spec: inOrderOf(current?.spec, desired) })}\n`;
  const name = nameOf(document);
  const [from, to] = [current === undefined ? '/dev/null' : `server/${name}`, `manifest/${name}`];
  return createTwoFilesPatch(from, to, before, after, '', '', { context: 3 })
    .replace(/^=+\n/, '')
    .replace(/^((?:---|\+\+\+) .*?)\t?$/gm, '$1')
    .trimEnd();
}

/** Fields in the order in which the server shows them, so that the order makes no difference. */
function inOrderOf(model: unknown, value: unknown): unknown {
  if (!isRecord(model) || !isRecord(value)) return value;
  const keys = [
    ...Object.keys(model).filter((key) => key in value),
    ...Object.keys(value).filter((key) => !(key in model)),
  ];
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(model[key], value[key])]));
}

export function paintDifference(text: string, paint: Terminal['paint']): string {
  const painted = (line: string): string => {
    if (/^(---|\+\+\+) /.test(line)) return paint('bold', line);
    if (line.startsWith('@@')) return paint('cyan', line);
    if (line.startsWith('+')) return paint('green', line);
    return line.startsWith('-') ? paint('red', line) : line;
  };
  return text.split('\n').map(painted).join('\n');
}
