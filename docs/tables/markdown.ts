/** A table with one line per row; what Markdown or HTML would interpret in a cell is escaped. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map(toLine).join('\n');
}

const toLine = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => escapeTags(cell).replaceAll('|', '\\|')).join(' | ')} |`;

/** Outside of code, `<id>` would be an unknown tag that no reader sees. */
const escapeTags = (cell: string): string =>
  cell
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('');

export const code = (text: string | number): string => `\`${text}\``;
