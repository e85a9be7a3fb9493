import { setCurrentDetails } from '@temporalio/workflow';
import { type RunKind, workflowId } from '../platform/kinds/ids.js';
import type { Failure } from '../platform/kinds/reasons.js';
import { dayOf, END, plain, timeOf, unbroken } from './markdown.js';

/** A line below the table. A command is shown as code, because the Web UI joins two dashes elsewhere. */
export type Fact = string | { text: string; command: string };

/** The command that prints the log of a resource. */
export const logOf = (kind: RunKind, id: string, text = 'log:'): Fact => ({
  text,
  command: `slipway logs ${workflowId(kind, id)}`,
});

/** The details of a run in the Web UI: the current step or the failure, every step with its time, and facts. */
export interface Progress {
  /** Starts a step and ends the one before. A repeat for the running step only adds facts. */
  begin(step: string, ...facts: Fact[]): void;
  /** Adds a fact below the table, such as an artifact's name. */
  note(fact: Fact): void;
  /** Shows how far the current step has come. */
  count(done: number, total: number): void;
  fail(failure: Failure): void;
  /** Shows the event that the run waits for. */
  waitFor(event: string): void;
  /** Ends the last step and the run. */
  finish(...facts: Fact[]): void;
}

interface Row {
  state: 'running' | 'done' | 'failed' | 'canceled';
  began: number;
  ended?: number;
}

/** Keeps the workflow's current details (Markdown) up to date. `steps`: descriptions by name, in order. */
export function createProgress(title: string, steps: Readonly<Record<string, string>>): Progress {
  const rows = new Map<string, Row>();
  const facts = new Set<string>();
  let failure = '';
  let now = '';

  const close = (state: Row['state']): void => {
    for (const row of rows.values()) if (row.state === 'running') Object.assign(row, { state, ended: Date.now() });
  };
  /** The title names the day, so that a time fits its column; a time of another day names its own day. */
  const firstDay = (): string => dayOf([...rows.values()][0]?.began ?? Date.now());
  const lineOf = ([step, what]: [string, string]): string => {
    const row = rows.get(step);
    const cells = row ? [row.state, timeOf(row.began, firstDay()), tookOf(row)] : ['', '', ''];
    return `| ${[what, ...cells].join(' | ')} |`;
  };
  const show = (...more: Fact[]): void => {
    more.forEach((fact) => facts.add(lineOfFact(fact)));
    const table = ['| step | state | began | took |', '|---|---|---|---|'];
    const head = [failure, now].filter(Boolean).flatMap((line) => [line, '']);
    const lines = [
      `### ${plain(title)}, ${unbroken(firstDay())} UTC`,
      '',
      ...head,
      ...table,
      ...Object.entries(steps).map(lineOf),
      '',
      ...facts,
      ...END,
    ];
    setCurrentDetails(lines.join('\n'));
  };

  return {
    begin(step, ...more) {
      if (rows.get(step)?.state !== 'running') {
        close('done');
        rows.set(step, { state: 'running', began: Date.now() });
      }
      now = `**Now:** ${steps[step] ?? step}`;
      show(...more);
    },
    note: (fact) => show(fact),
    count(done, total) {
      now = `${now.replace(/ \(\d+ of \d+ done\)$/, '')} (${done} of ${total} done)`;
      show();
    },
    fail({ reason, message }) {
      const canceled = reason === 'Cancelled';
      close(canceled ? 'canceled' : 'failed');
      failure = canceled ? '**Canceled**' : `**Failed: ${reason}**, ${plain(message)}`;
      now = '';
      show();
    },
    waitFor(event) {
      close('done');
      now = `**Now:** waits for ${event}`;
      show();
    },
    finish(...more) {
      close('done');
      now = '**Done**';
      show(...more);
    },
  };
}

/** A commit or digest; its first digits name it, and the rest does not fit the page. */
const LONG_HASH = /\b([0-9a-f]{12})[0-9a-f]{28,}\b/g;

const tookOf = ({ began, ended }: Row): string =>
  ended === undefined ? '' : unbroken(`${((ended - began) / 1_000).toFixed(1)} s`);

const lineOfFact = (fact: Fact): string =>
  typeof fact === 'string' ? `- ${plain(fact.replace(LONG_HASH, '$1'))}` : `- ${plain(fact.text)} \`${fact.command}\``;
