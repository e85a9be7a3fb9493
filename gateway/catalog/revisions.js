/* global clearTimeout, confirm, setTimeout */
import { change, refusalIn } from './calls.js';
import { element, toButton, toTable, toTableRow, toTime } from './table.js';

const HEADERS = ['Revision', '', 'Model', 'Image', 'Since (UTC)', 'By'];
const REFRESH_MS = 3_000;

/** Shows the revisions that had all the calls of a deployment, and goes back to one of them. */
export function showRevisions(target, { id, call, isCurrent }) {
  const path = `api/v1/model/deployment/${encodeURIComponent(id)}`;
  const [note, table, answer] = [element('p'), element('div'), element('output')];
  const body = element('section', element('h2', `Revisions of ${id}`), note, answer, table);
  target.replaceChildren(body);
  body.scrollIntoView({ block: 'nearest' });
  let timer;

  async function load() {
    const [reply, revisions] = await Promise.all([call(path), call(`${path}/revision`)]);
    const refused = [reply, revisions].find(({ ok }) => !ok);
    if (refused) return void (answer.textContent = await refusalIn(refused));
    const deployment = await reply.json();
    const kept = await revisions.json();
    if (!isCurrent()) return;
    note.textContent = noteOn(deployment, kept[0]);
    const rows = kept.map((revision, at) => toRow(revision, { deployment, isServing: at === 0 }));
    table.replaceChildren(...(rows.length === 0 ? [] : [toTable(HEADERS, element('tbody', ...rows))]));
    clearTimeout(timer);
    if (deployment.status.state !== 'Processing') return;
    timer = setTimeout(() => isCurrent() && body.isConnected && show(), REFRESH_MS);
  }
  const report = (err) => (answer.textContent = String(err));
  const show = () => load().catch(report);

  function toRow(revision, { deployment, isServing }) {
    const { generation, modelName, modelVersion, image, at, updatedBy } = revision;
    const use = element('td', isServing ? 'serves now ' : '');
    const act = () => goBack(revision, deployment).catch(report);
    const button = toButton('Go back', `Go back to revision ${generation} of ${id}`, act);
    if (generation !== deployment.generation) use.append(button);
    const cells = [`${modelName} ${modelVersion}`, image, toTime(at), updatedBy].map((text) => element('td', text));
    return toTableRow([element('td', generation), use, ...cells]);
  }

  async function goBack({ generation, modelName, modelVersion }, deployment) {
    const which = `revision ${generation} (${modelName} ${modelVersion})`;
    if (!confirm(`${id} goes back to ${which}, with all calls at once and without a rollout. Go back?`)) return;
    const asked = { generation: deployment.generation, body: { generation } };
    const reply = await change(call, `${path}/rollback`, asked);
    answer.textContent = reply.ok ? `${id} goes back to ${which}.` : await refusalIn(reply);
    if (reply.ok) await show();
  }

  return show();
}

/** Whether something else than the deployment asks for serves. */
function noteOn({ generation, status }, serving) {
  if (serving === undefined) return 'No revision has served yet.';
  if (serving.generation === generation) return '';
  const { state, reason, rollout } = status;
  const why = rollout ? `rollout ${rollout.state}, ${rollout.weight}% of the calls` : (reason ?? state);
  return `Revision ${generation} has not taken over: ${why}.`;
}
