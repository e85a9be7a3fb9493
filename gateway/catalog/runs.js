/* global document */
import { fillSection } from './section.js';
import { element, toButton, toTable, toTableRow, toTime } from './table.js';

const TRAININGS = 'api/v1/model/training';
const MOST_READ = 1_000;
const MOST_ROWS = 100;
const HEADERS = ['Training', 'State', 'Model', 'Started', 'Took', 'Parameters', 'Metrics', ''];
const [WIDTH, HEIGHT, EDGE] = [900, 220, 40];

/**
 * Shows the trainings side by side with their parameters and metrics, a plot of one metric over them, and the log of one as
 * it grows. Read when the section is opened, by the roles of the platform: for others it stays hidden.
 */
export function showRuns(section, { call, isCurrent }) {
  const [model, metric] = [element('input'), element('select')];
  model.placeholder = 'all models';
  const [plot, table] = [element('figure'), element('div')];
  const note = element('p');
  const form = element(
    'form',
    element('label', 'Model ', model),
    element('button', 'Show'),
    element('label', 'Metric ', metric),
  );
  const parts = [form, note, plot, table];
  const onOpen = () => runs.length === 0 && read();
  const { logs, hide } = fillSection(section, { call, isCurrent }, { path: TRAININGS, parts, onOpen });
  let runs = [];

  async function load() {
    const filter = model.value.trim() === '' ? '' : `&model_name=${encodeURIComponent(model.value.trim())}`;
    const reply = await call(`${TRAININGS}?size=${MOST_READ}${filter}`);
    if (!isCurrent()) return;
    if (!reply.ok) return void (note.textContent = `The trainings cannot be read (status ${reply.status}).`);
    const startOf = ({ status, createdAt }) => status.startedAt ?? createdAt;
    runs = (await reply.json()).sort((a, b) => startOf(b).localeCompare(startOf(a)));
    const total = Number(reply.headers.get('x-total-count') ?? runs.length);
    note.textContent =
      total > runs.length ? `${runs.length} of ${total} trainings: name a model to see all of its.` : '';
    const names = [...new Set(runs.flatMap(({ status }) => Object.keys(status.metrics ?? {})))].sort();
    metric.replaceChildren(...names.map((name) => element('option', name)));
    draw();
    const rows = runs.slice(0, MOST_ROWS).map(toRow);
    table.replaceChildren(toTable(HEADERS, element('tbody', ...rows)));
  }

  const draw = () => plot.replaceChildren(...plotOf(runs, metric.value));

  function toRow(run) {
    const { id, spec, status } = run;
    const button = toButton('Log', `Show the log of ${id}`, () => logs.show('training', id));
    const cells = [
      id,
      status.reason ? `${status.state}: ${status.reason}` : status.state,
      `${spec.model.name} ${spec.model.version}`,
      toTime(status.startedAt),
      tookOf(status),
      pairs(spec.hyperParameters),
      pairs(status.metrics),
    ];
    return toTableRow([...cells.map((text) => element('td', text || '–')), element('td', button)]);
  }

  const read = () => load().catch((err) => (note.textContent = String(err)));
  metric.addEventListener('change', draw);
  form.addEventListener('submit', (event) => (event.preventDefault(), read()));
  return hide;
}

const pairs = (values = {}) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${typeof value === 'number' ? Number(value.toPrecision(4)) : value}`)
    .join(' ');

function tookOf({ startedAt, finishedAt }) {
  if (startedAt === undefined || finishedAt === undefined) return '';
  return `${Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)} s`;
}

/** One point for each training that logged the metric, the oldest first, with its lowest and highest value beside. */
function plotOf(runs, name) {
  const points = runs.flatMap(({ id, status }) => {
    const value = status.metrics?.[name];
    return typeof value === 'number' && Number.isFinite(value) ? [{ id, value }] : [];
  });
  if (points.length === 0) return [];
  points.reverse();
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at) => EDGE + (at / Math.max(1, points.length - 1)) * (WIDTH - 2 * EDGE);
  const y = (value) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const label = `${name} by training, from ${low} to ${high}`;
  const chart = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label });
  chart.append(shape('polyline', { points: points.map(({ value }, at) => `${x(at)},${y(value)}`).join(' ') }));
  for (const [at, { id, value }] of points.entries()) {
    const point = shape('circle', { cx: x(at), cy: y(value), r: 4 });
    point.append(textShape('title', {}, `${id}: ${value}`));
    chart.append(point);
  }
  for (const value of new Set([low, high])) {
    chart.append(textShape('text', { x: 4, y: y(value) + 4 }, String(Number(value.toPrecision(4)))));
  }
  return [chart, element('figcaption', `${name}, oldest training first`)];
}

function shape(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const textShape = (name, attributes, text) => Object.assign(shape(name, attributes), { textContent: text });
