/* global document, setTimeout */
import { change, refusalIn } from './calls.js';
import { HEADERS, isOver, isWaiting, startOf, toRows } from './pipeline-run.js';
import { fillSection } from './section.js';
import { element, toTable } from './table.js';

const PIPELINES = 'api/v1/model/pipeline';
const MOST_PIPELINES = 100;
const RUNS_OF_EACH = 5;
const RUNS_OF_ONE = 100;
const REFRESH_MS = 5_000;

const runsOf = (id) => `${PIPELINES}/${encodeURIComponent(id)}/run`;
const pathOf = ({ spec }) => `${runsOf(spec.pipeline)}/${spec.number}`;

/**
 * Shows the last runs of the pipelines, those that wait for an approval first, and sends the decision on these. Read at the
 * log in, by the roles of the platform: for others it stays hidden. Runs that are not over are read every few seconds.
 */
export function showPipelines(section, { call, isCurrent }) {
  const wanted = Object.assign(element('input'), { placeholder: 'all pipelines' });
  const form = element('form', element('label', 'Pipeline ', wanted), element('button', 'Show'));
  const [note, table] = [element('p'), element('div')];
  const title = section.querySelector('summary');
  const onShown = () => void show().then(repeat);
  const parts = [form, note, table];
  const { logs, hide } = fillSection(section, { call, isCurrent }, { path: PIPELINES, parts, onShown });
  /** Each run with its part of the table. */
  let shown = [];

  async function read(path) {
    const reply = await call(path);
    if (!reply.ok) throw new Error(await refusalIn(reply));
    return { found: await reply.json(), total: Number(reply.headers.get('x-total-count')) };
  }

  async function load() {
    const id = wanted.value.trim();
    const { runs, text } = await (id === '' ? readAll() : readOne(id));
    if (!isCurrent()) return;
    runs.sort((a, b) => isWaiting(b) - isWaiting(a) || startOf(b).localeCompare(startOf(a)));
    shown = runs.map((run) => ({ run, rows: toRows(run, { logs, decide }) }));
    table.replaceChildren(...(runs.length === 0 ? [] : [toTable(HEADERS, ...shown.map(({ rows }) => rows))]));
    note.textContent = runs.length === 0 ? 'No run yet.' : text;
    count();
  }

  async function readOne(id) {
    const { found, total } = await read(`${runsOf(id)}?size=${RUNS_OF_ONE}`);
    return { runs: found, text: total > found.length ? `The last ${found.length} of ${total} runs.` : '' };
  }

  /** A pipeline has one run at a time, so its last ones hold the one that waits. */
  async function readAll() {
    const { found, total } = await read(`${PIPELINES}?size=${MOST_PIPELINES}`);
    const used = found.filter(({ status }) => status.lastRun > 0);
    const lists = await Promise.all(used.map(({ id }) => read(`${runsOf(id)}?size=${RUNS_OF_EACH}`)));
    const isAll = total === found.length && used.every(({ status }) => status.lastRun <= RUNS_OF_EACH);
    const which = total > found.length ? `${found.length} of ${total} pipelines` : 'each pipeline';
    return {
      runs: lists.flatMap((list) => list.found),
      text: isAll ? '' : `The last ${RUNS_OF_EACH} runs of ${which}: name a pipeline to see more.`,
    };
  }

  function count() {
    const waiting = shown.filter(({ run }) => isWaiting(run)).length;
    const verb = waiting === 1 ? 'waits' : 'wait';
    title.textContent = waiting === 0 ? 'Pipeline runs' : `Pipeline runs: ${waiting} ${verb} for approval`;
  }

  function replace(entry, run) {
    if (JSON.stringify(run) === JSON.stringify(entry.run)) return; // the reason that is being typed stays
    const rows = toRows(run, { logs, decide });
    entry.rows.replaceWith(rows);
    Object.assign(entry, { run, rows });
    count();
  }

  async function decide(run, decision, reason) {
    const reply = await change(call, `${pathOf(run)}/${decision}`, { generation: run.generation, body: { reason } });
    if (!reply.ok) return refusalIn(reply);
    const decided = await reply.json();
    const entry = shown.find((each) => each.run.id === run.id);
    if (isCurrent() && entry !== undefined) replace(entry, decided);
    return '';
  }

  async function refresh() {
    for (const entry of document.hidden ? [] : shown.filter(({ run }) => !isOver(run))) {
      const { found } = await read(pathOf(entry.run)).catch(() => ({})); // it is read again soon
      if (!isCurrent()) return;
      if (found !== undefined) replace(entry, found);
    }
  }

  const repeat = () => isCurrent() && setTimeout(() => refresh().then(repeat), REFRESH_MS);
  const show = () => load().catch((err) => (note.textContent = err.message));
  form.addEventListener('submit', (event) => (event.preventDefault(), show()));
  return hide;
}
