/* global clearInterval, document, fetch, setInterval, setTimeout, SwaggerUIBundle, URLSearchParams */
import { createCall } from './calls.js';
import { showModels } from './models.js';
import { showPipelines } from './pipelines.js';
import { showResources } from './resources.js';
import { showRuns } from './runs.js';

const element = (id) => document.getElementById(id);
const notice = element('notice');
const GREETING = notice.textContent;
const GUIDE = element('guide').textContent;
const NO_MODELS = 'No deployed model is open to you. One appears here once its deployment is ready.';
const FAILURES = { 401: 'This token is not valid, or no longer.', 403: 'This token may not see the catalog.' };
const NO_REPLY =
  'The issuer did not answer this page: it is down, or it does not allow requests from here (CORS). ' +
  'Get a token in another way and paste it.';

const OUTAGES_MS = 5_000;
const LOGIN_AGAIN_MS = 1_000;

/** The timer that asks for outages while someone is logged in. */
let watching;

/** Take the sections of the platform away again. */
let hide = [];

/** Where the issuer gives tokens for client credentials, when it says so. */
let tokenEndpoint;

function say(text, isError = false) {
  notice.textContent = text;
  notice.toggleAttribute('data-error', isError);
}

function showForms(wanted) {
  element('login').hidden = !wanted || tokenEndpoint === undefined;
  element('paste').hidden = !wanted;
  element('logout').hidden = wanted;
}

async function logIn(id, secret) {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  // No headers of its own: such a request needs no preflight.
  const reply = await fetch(tokenEndpoint, { method: 'POST', body: new URLSearchParams(form) }).catch(() => undefined);
  if (reply === undefined) return say(NO_REPLY, true);
  const { access_token: token, error, error_description: why } = await reply.json().catch(() => ({}));
  if (token === undefined) return say(`The issuer gave no token: ${why ?? error ?? reply.status}.`, true);
  return show(token);
}

async function show(token) {
  const reply = await fetch('./data.json', { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) return say(FAILURES[reply.status] ?? `The catalog answered ${reply.status}.`, true);
  const spec = await reply.json();
  const models = spec['x-slipway-models'];
  const count = models.length;
  showForms(false);
  const call = createCall(token);
  watchOutages(call).catch((err) => say(String(err), true));
  say(count === 0 ? '' : `${count} deployed model${count === 1 ? '' : 's'}`);
  element('guide').textContent = count === 0 ? NO_MODELS : '';
  const shown = watching;
  const isCurrent = () => watching !== undefined && watching === shown;
  const access = { call, isCurrent };
  hide = [
    showPipelines(element('pipelines'), access),
    showRuns(element('runs'), access),
    showResources(element('resources'), access),
  ];
  if (count === 0) return;
  const targets = { list: element('list'), revisions: element('revisions') };
  showModels(targets, { models, call, isCurrent }).catch((err) => say(String(err), true));
  const ui = SwaggerUIBundle({
    spec,
    dom_id: '#models',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    onComplete: () => ui.preauthorizeApiKey('bearer', token),
    responseInterceptor: (response) => {
      if (response.status === 401) say('Your token is not valid any more. Log out, then in again.', true);
      return response;
    },
  });
}

/** Names the services that are down. */
async function showOutages(call) {
  const reply = await call('health').catch(() => undefined);
  const { down = [] } = reply?.ok ? await reply.json() : {};
  const names = down.map(({ name, reason }) => `${name} (${reason})`);
  if (reply === undefined || reply.status >= 500) names.push('API');
  if (watching !== undefined) element('outages').textContent = names.length === 0 ? '' : `Down: ${names.join(', ')}`;
}

function watchOutages(call) {
  watching = setInterval(showOutages, OUTAGES_MS, call);
  return showOutages(call);
}

function onSubmit(id, act) {
  element(id).addEventListener('submit', (event) => {
    event.preventDefault();
    say('...');
    act().catch((err) => say(String(err), true));
  });
}

function take(id) {
  const value = element(id).value.trim();
  element(id).value = '';
  return value;
}

onSubmit('login', () => logIn(element('client').value.trim(), take('secret')));
onSubmit('paste', () => show(take('token')));
element('logout').addEventListener('click', () => {
  clearInterval(watching);
  watching = undefined;
  element('outages').textContent = '';
  for (const hideSection of hide) hideSection();
  element('list').replaceChildren();
  element('revisions').replaceChildren();
  element('models').replaceChildren();
  element('guide').textContent = GUIDE;
  showForms(true);
  say(GREETING);
});

async function offerLogin() {
  const reply = await fetch('./login.json');
  if (!reply.ok) throw new Error(`login.json: ${reply.status}`);
  ({ tokenEndpoint } = await reply.json());
  if (watching === undefined) showForms(true);
}

/** Asks again until there is an answer: without one the page has no form to log in with. */
function tryLogin() {
  offerLogin().catch(() => setTimeout(tryLogin, LOGIN_AGAIN_MS));
}

tryLogin();
