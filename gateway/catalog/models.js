/* global document */
import { showRevisions } from './revisions.js';
import { element, toButton, toTable, toTableRow } from './table.js';

const HEADERS = [
  'Model',
  'Version',
  'Description',
  'Owner',
  'Available',
  'Requests (5 min)',
  'Failed',
  'p95',
  'Training',
  '',
];
const NO_SAMPLE = 'No sample: the model says nothing of its input and output.';
const NONE = '–';

/**
 * Shows the models as a table. The owner, the numbers and the training come from the management API, which only the roles of
 * the platform may read: for others these cells stay empty.
 */
export async function showModels({ list, revisions }, { models, call, isCurrent }) {
  const read = async (path) => {
    const reply = await call(path).catch(() => undefined);
    return reply?.ok ? reply.json() : undefined;
  };
  const [metrics = [], deployments = []] = await Promise.all([
    read('api/v1/model/deployment-metrics?size=10000'),
    read('api/v1/model/deployment?size=10000'),
  ]);
  if (!isCurrent()) return;
  const numbersOf = new Map(metrics.map((each) => [each.id, each]));
  const ownerOf = new Map(deployments.map(({ id, createdBy }) => [id, createdBy]));
  const buttonsOf = ({ id }) => {
    const show = () => showRevisions(revisions, { id, call, isCurrent });
    const download = downloadButton(id, call);
    return ownerOf.has(id) ? [download, toButton('Revisions', `Show the revisions of ${id}`, show)] : [download];
  };
  const cells = new Map();
  const rows = models.map((model) => {
    const training = element('td', NONE);
    cells.set(model.id, training);
    return toRow(model, {
      ...numbersOf.get(model.id),
      owner: ownerOf.get(model.id),
      training,
      buttons: buttonsOf(model),
    });
  });
  list.replaceChildren(toTable(HEADERS, element('tbody', ...rows)));
  for (const [id, cell] of cells) {
    if (!ownerOf.has(id)) continue;
    // One after the other: the API limits how fast a caller asks.
    const lineage = await read(`api/v1/lineage/deployment/${id}`);
    if (lineage === undefined || !isCurrent()) return;
    cell.textContent = trainingIn(lineage) || NONE;
  }
}

function toRow(model, { availability, requests, failed, latencySeconds, owner, training, buttons }) {
  const { id, modelName, modelVersion, description, hasSamples } = model;
  const link = Object.assign(element('a', id), { href: `#/${encodeURIComponent(id)}` });
  const name = modelName === id ? [link] : [link, element('small', modelName)];
  const about = [description ?? (hasSamples ? NONE : '')];
  if (!hasSamples) about.push(element('small', NO_SAMPLE));
  return toTableRow([
    element('td', ...name),
    element('td', modelVersion || NONE),
    element('td', ...about),
    element('td', owner ?? NONE),
    element('td', availability === undefined ? NONE : `${Math.round(100 * availability)}%`),
    element('td', requests ?? NONE),
    element('td', failed ?? NONE),
    element('td', latencySeconds === undefined ? NONE : `${Number((1_000 * latencySeconds.p95).toPrecision(3))} ms`),
    training,
    element('td', ...buttons),
  ]);
}

/** The document needs the token, so it cannot be a link. */
function downloadButton(id, call) {
  return toButton('OpenAPI', `Save the OpenAPI document of ${id}`, async (button) => {
    const reply = await call(`model/${id}/api/model/info`).catch(() => undefined);
    if (!reply?.ok) return void (button.textContent = reply?.status === 403 ? 'not allowed' : 'no answer');
    const href = URL.createObjectURL(await reply.blob());
    Object.assign(document.createElement('a'), { href, download: `${id}.openapi.json` }).click();
    URL.revokeObjectURL(href);
  });
}

/** The metrics of the training that the model is from. */
function trainingIn({ nodes }) {
  const { metrics = {} } = nodes.find(({ kind }) => kind === 'training')?.facts ?? {};
  return Object.entries(metrics)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
