import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';

/** Reads a line of a terminal. */
export async function ask({ stdin, signal, terminal }: CliContext, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: terminal.questions });
  try {
    return (await lines.question(question, { signal })).trim();
  } finally {
    lines.close();
  }
}

/** The same without showing what is typed. */
export async function askSecret({ stdin, signal, terminal }: CliContext, question: string): Promise<string> {
  // Readline shows what is typed by writing it; the question goes past that.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  const interrupted = new AbortController();
  lines.once('SIGINT', () => interrupted.abort());
  terminal.questions.write(question);
  try {
    return (await lines.question('', { signal: AbortSignal.any([signal, interrupted.signal]) })).trim();
  } finally {
    lines.close();
    terminal.note('');
  }
}

/** All of standard input, without the line break at its end. @throws validation_failed when there is nothing */
export async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '') throw new SlipwayError('validation_failed', 'standard input is empty');
  return text;
}
