import { element, toButton, toTableRow, toTime } from './table.js';

export const HEADERS = ['Run', 'State', 'Step', 'Since (UTC)', 'Gates', 'Started by', 'Logs'];

export const isOver = ({ status }) => status.state === 'succeeded' || status.state === 'failed';
export const isWaiting = (run) => !isOver(run) && run.status.steps.at(-1)?.state === 'waiting';
export const startOf = ({ status, createdAt }) => status.startedAt ?? createdAt;

/**
 * The part of the table for one run of a pipeline: its row, and the form of the decision while it waits for one.
 * @param decide takes the run, `approve` or `reject` and the reason; returns why the API refused, `''` when it did not
 */
export function toRows(run, { logs, decide }) {
  const rows = element('tbody', toRow(run, logs));
  if (isWaiting(run)) rows.append(toTableRow([decisionCell(run, decide)]));
  return rows;
}

function toRow(run, logs) {
  const { id, spec, status } = run;
  const step = status.steps.at(-1);
  const state = isWaiting(run) ? 'waits for approval' : status.state;
  const since = isOver(run) ? status.finishedAt : (step?.startedAt ?? startOf(run));
  return toTableRow([
    element('td', id, small(spec.pipeline)),
    element('td', status.reason ? `${state}: ${status.reason}` : state, small(status.message)),
    element('td', step ? `${step.name}: ${step.state}` : '–'),
    element('td', toTime(since)),
    element('td', ...gatesOf(status)),
    element('td', [spec.trigger.type, spec.trigger.by].filter(Boolean).join(': '), small(spec.trigger.message)),
    element('td', ...logButtons(status, logs)),
  ]);
}

const small = (text = '') => element('small', text);

function gatesOf({ gates, approval }) {
  const results = gates.map(({ passed, message }) => `${passed ? 'passed' : 'failed'}: ${message}`);
  if (approval) results.push(`${approval.decision} by ${approval.by}: ${approval.reason}`);
  return results.length === 0 ? ['–'] : results.map((text) => element('div', text));
}

function logButtons({ steps }, logs) {
  const children = steps.map(({ child = '' }) => child.split('/')); // such as `training/wine-3`
  return children
    .filter(([kind]) => kind === 'training' || kind === 'packaging')
    .map(([kind, id]) => toButton(kind, `Show the log of ${kind} ${id}`, () => logs.show(kind, id)));
}

function decisionCell(run, decide) {
  const { roles } = run.spec.template.gates.approval;
  const reason = Object.assign(element('input'), { required: true, maxLength: 1_000, size: 40 });
  const answer = element('output');
  const act = async (decision) => {
    if (!form.reportValidity()) return;
    for (const button of buttons) button.disabled = true;
    answer.textContent = await decide(run, decision, reason.value).catch(String);
    for (const button of buttons) button.disabled = false;
  };
  const buttons = [
    toButton('Approve', `Approve ${run.id}`, () => act('approve')),
    toButton('Reject', `Reject ${run.id}`, () => act('reject')),
  ];
  const who = roles.length > 0 ? [small(`Decided by the roles ${roles.join(', ')}.`)] : [];
  const form = element('form', element('label', 'Reason ', reason), ...buttons, ...who, answer);
  form.addEventListener('submit', (event) => event.preventDefault()); // the Enter key decides nothing
  return Object.assign(element('td', form), { colSpan: HEADERS.length });
}
