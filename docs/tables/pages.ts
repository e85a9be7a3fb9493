import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataAccessTable, managementAccessTable } from './access.js';
import { commandsText, exitCodesTable, kindsTable } from './commands.js';
import { clientErrorsTable, dataErrorsTable, managementErrorsTable, reasonsTable } from './errors.js';
import { eventTypesText } from './event-types.js';
import { settingsTable } from './settings.js';

const FOLDER = join(import.meta.dirname, '..', 'reference');

/** By page: the text between `<!-- generated: <name> -->` and `<!-- end of <name> -->`. */
const PAGES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'access.md': { 'management access': managementAccessTable, 'data access': dataAccessTable },
  'settings.md': { settings: settingsTable },
  'cli.md': { kinds: kindsTable, commands: commandsText, 'exit codes': exitCodesTable },
  'event-types.md': { 'event types': eventTypesText },
  'errors.md': {
    'management errors': managementErrorsTable,
    'data errors': dataErrorsTable,
    reasons: reasonsTable,
    'client errors': clientErrorsTable,
  },
};

export interface ReferencePage {
  path: string;
  /** The text of the file. */
  found: string;
  /** The text with each generated part as the code has it now. */
  renewed: string;
}

/** Reads every reference page and renews its generated parts. */
export async function readReferencePages(): Promise<ReferencePage[]> {
  return Promise.all(
    Object.entries(PAGES).map(async ([name, parts]) => {
      const path = join(FOLDER, name);
      const found = await readFile(path, 'utf8');
      const renewed = Object.entries(parts).reduce((text, [part, write]) => renew(text, part, write()), found);
      return { path, found, renewed };
    }),
  );
}

function renew(text: string, part: string, generated: string): string {
  const [begin, end] = [`<!-- generated: ${part} -->`, `<!-- end of ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no "${begin}" before "${end}"`);
  return `${text.slice(0, from)}${begin}\n\n${generated}\n\n${text.slice(to)}`;
}
