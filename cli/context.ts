import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** The effects that every command receives. */
export interface CliContext {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream;
  fetch: typeof globalThis.fetch;
  now: () => number;
  /** Waits before a repeat. */
  pause: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  /** How long a completion waits for the server. */
  patienceMs: number;
  /** Ends with Ctrl-C. */
  signal: AbortSignal;
  version: string;
}

/** Options of every command. */
export interface GlobalOptions {
  server?: string;
  config?: string;
  verbose?: boolean;
}

export const globalOptions = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>();
