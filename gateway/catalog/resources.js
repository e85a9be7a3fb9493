import { refusalIn } from './calls.js';
import { fillSection } from './section.js';
import { element, toButton, toTable, toTableRow, toTime } from './table.js';

const MOST_ROWS = 100;

const id = ['Id', (resource) => resource.id];
const state = ['State', ({ status }) => (status.reason ? `${status.state}: ${status.reason}` : status.state)];
const message = ['Message', ({ status }) => status.message];
const changed = ['Changed', ({ updatedAt }) => toTime(updatedAt)];

/** The lists, and what each shows of a resource. */
const LISTS = [
  {
    title: 'Deployments',
    path: 'api/v1/model/deployment',
    columns: [
      id,
      state,
      ['Replicas', ({ status }) => `${status.availableReplicas} of ${status.replicas}`],
      ['Image', ({ spec }) => spec.image],
      changed,
      message,
    ],
  },
  {
    title: 'Packagings',
    path: 'api/v1/model/packaging',
    logOf: 'packaging',
    columns: [
      id,
      state,
      ['Packager', ({ spec }) => spec.integrationName],
      ['Artifact', ({ spec }) => spec.artifactName],
      ['Image', ({ status }) => status.results[0]?.value],
      changed,
      message,
    ],
  },
  {
    title: 'Connections',
    path: 'api/v1/connection',
    columns: [
      id,
      ['Type', ({ spec }) => spec.type],
      ['Address', ({ spec }) => spec.uri],
      ['Description', ({ spec }) => spec.description],
      changed,
    ],
  },
];

/**
 * Lists deployments of every state, packagings with their logs, and connections without their secrets. Read when the
 * section is opened, by the roles of the platform: for others it stays hidden.
 */
export function showResources(section, { call, isCurrent }) {
  const tables = element('div');
  const [{ path: first }] = LISTS;
  const onOpen = () => load().catch((err) => tables.replaceChildren(element('p', String(err))));
  const { logs, hide } = fillSection(section, { call, isCurrent }, { path: first, parts: [tables], onOpen });

  async function read({ title, path, columns, logOf }) {
    const reply = await call(`${path}?size=${MOST_ROWS}`);
    const heading = element('h2', title);
    if (!reply.ok) return [heading, element('p', await refusalIn(reply))];
    const found = (await reply.json()).sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
    const total = Number(reply.headers.get('x-total-count') ?? found.length);
    const note = total > found.length ? `${found.length} of ${total}: the command line lists the others.` : '';
    if (found.length === 0) return [heading, element('p', 'None yet.')];
    const rows = found.map((resource) => {
      const cells = columns.map(([, valueOf]) => element('td', valueOf(resource) || '–'));
      if (logOf === undefined) return toTableRow(cells);
      const show = () => logs.show(logOf, resource.id);
      return toTableRow([...cells, element('td', toButton('Log', `Show the log of ${resource.id}`, show))]);
    });
    const headers = [...columns.map(([header]) => header), ...(logOf === undefined ? [] : [''])];
    return [heading, element('p', note), toTable(headers, element('tbody', ...rows))];
  }

  async function load() {
    const lists = await Promise.all(LISTS.map(read));
    if (isCurrent()) tables.replaceChildren(...lists.flat());
  }

  return hide;
}
