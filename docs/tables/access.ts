import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, markdownTable } from './markdown.js';

/** A reviewed table of access, which a test compares with the answers of the API. */
function accessTable(name: string): string {
  const [header = [], ...rows] = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ +/));
  const [, , ...columns] = header;
  const toRow = ([method = '', route = '', ...cells]: string[]) => [code(`${method} ${route}`), ...cells];
  return markdownTable(['route', ...columns.map((column) => column.replaceAll('_', ' '))], rows.map(toRow));
}

/** The management API: by role. */
export const managementAccessTable = (): string => accessTable('access-management.txt');

/** Reference data and notifications: by role and key. */
export const dataAccessTable = (): string => accessTable('access-data.txt');
