import { setCurrentDetails } from '@temporalio/workflow';

/** One row of the table that a person reads in the Web UI: a phase and how it went. */
export interface Progress {
  /** Marks the phase as begun; the one before is done. */
  begin(phase: string, note?: string): void;
  /** A fact to show below the table, such as an artifact's name. */
  note(text: string): void;
  fail(reason: string): void;
}

/** Keeps the workflow's current details (Markdown) up to date: every phase with its state and start. */
export function createProgress(title: string, phases: readonly string[]): Progress {
  const begun = new Map<string, string>();
  const notes: string[] = [];
  let ended: string | undefined;

  const stateOf = (phase: string): string => {
    const index = phases.indexOf(phase);
    if (!begun.has(phase)) return '';
    if (phases.slice(index + 1).some((later) => begun.has(later))) return 'done';
    return ended ?? 'running';
  };
  const show = (): void => {
    const rows = phases.map((phase) => `| ${phase} | ${stateOf(phase)} | ${begun.get(phase) ?? ''} |`);
    setCurrentDetails(
      [`### ${title}`, '', '| phase | state | since |', '|---|---|---|', ...rows, '', ...notes].join('\n'),
    );
  };

  return {
    begin(phase, text) {
      begun.set(phase, new Date().toISOString());
      if (text !== undefined) notes.push(`- ${phase}: ${text}`);
      show();
    },
    note(text) {
      notes.push(`- ${text}`);
      show();
    },
    fail(reason) {
      ended = `**failed: ${reason}**`;
      show();
    },
  };
}
