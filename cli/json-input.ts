import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { messageOf } from './error-text.js';
import { readAll } from './login/secret.js';

export interface JsonOptions {
  data?: string;
  filename?: string;
}

/** `-d` and `-f`, for commands that send JSON. */
export const withJson = (command: Command): Command =>
  command
    .addOption(new Option('-d, --data <json>', 'the JSON itself').conflicts('filename'))
    .option('-f, --filename <file>', 'file with the JSON, or - for standard input');

/** The JSON as its author wrote it, so that no number changes. @throws validation_failed */
export async function readJson(
  { stdin }: Pick<CliContext, 'stdin'>,
  { data, filename }: JsonOptions,
): Promise<string | undefined> {
  if (data === undefined && filename === undefined) return undefined;
  const text =
    data ?? (filename === '-' ? await readAll(stdin) : await readFile(filename ?? '', 'utf8').catch(unreadable));
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new SlipwayError('validation_failed', `${filename ?? '--data'} is not valid JSON: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function unreadable(cause: unknown): never {
  throw new SlipwayError('validation_failed', messageOf(cause), { cause });
}
