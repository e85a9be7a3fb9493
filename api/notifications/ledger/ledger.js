/* global document, fetch, location, URLSearchParams */
const element = (id) => document.getElementById(id);
const path = location.pathname.replace(/\/$/, '');
let next;
let shown;

/** Adds the content of a delivery as text, never as markup. */
function add(parent, name, text, className) {
  const child = document.createElement(name);
  child.textContent = text;
  if (className !== undefined) child.className = className;
  parent.append(child);
  return child;
}

function say(text, isError = false) {
  element('notice').textContent = text;
  element('notice').toggleAttribute('data-error', isError);
}

async function request(address, { method = 'GET', accept = 'application/json' } = {}) {
  const key = element('key').value.trim();
  const credential = key.startsWith('slp_') ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  const reply = await fetch(address, { method, headers: { accept, ...credential } });
  if (reply.ok) return reply;
  const { detail, title } = await reply.json();
  throw new Error(detail ?? title);
}

const read = async (address) => (await request(address)).json();

/** Shows the message of an error that the action throws. */
const safely = (act) => (event) => {
  event?.preventDefault();
  say('');
  act().catch((err) => say(err.message, true));
};

function toRow(delivery) {
  const row = document.createElement('tr');
  const open = add(add(row, 'td', ''), 'button', delivery.sequence);
  open.type = 'button';
  open.addEventListener(
    'click',
    safely(() => show(delivery.sequence)),
  );
  add(row, 'td', delivery.type);
  add(row, 'td', delivery.about);
  const marks = [delivery.state, delivery.parked ? 'parked' : '', delivery.by ? `by ${delivery.by}` : ''];
  add(row, 'td', marks.filter(Boolean).join(', '), delivery.state);
  const last = delivery.attempts.at(-1)?.outcome;
  add(row, 'td', `${delivery.attempts.length}${last === undefined ? '' : `, ${last}`}`);
  add(row, 'td', new Date(delivery.minted_at).toLocaleString());
  return row;
}

async function list(token) {
  const query = new URLSearchParams({ page_size: '50' });
  if (element('state').value !== '') query.set('state', element('state').value);
  if (token !== undefined) query.set('page_token', token);
  const page = await read(`${path}?${query}`);
  const rows = element('list').tBodies[0];
  if (token === undefined) rows.replaceChildren();
  rows.append(...page.items.map(toRow));
  next = page.next_page_token;
  element('list').hidden = false;
  element('more').hidden = next === undefined;
  if (rows.rows.length === 0 && next === undefined) say('There is no such notice.');
}

function wordsOf({ at, what, ...details }) {
  const words = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  return `${at}  ${what}${words.map(([name, value]) => `, ${name} ${value}`).join('')}`;
}

async function show(sequence) {
  const [delivery, sent] = await Promise.all([
    read(`${path}/${sequence}`),
    request(`${path}/${sequence}/request`, { accept: '*/*' }),
  ]);
  shown = sequence;
  element('detail').hidden = false;
  element('detail').querySelector('h2').textContent = `${delivery.sequence}: ${delivery.notice_id}`;
  element('resend').disabled = ['pending', 'sending', 'checking'].includes(delivery.state);
  element('timeline').replaceChildren();
  for (const entry of delivery.timeline) add(element('timeline'), 'li', wordsOf(entry));
  // As it is: numbers of 64 bits would not survive being read.
  element('body').textContent = await sent.text();
}

async function resend() {
  await request(`${path}/${shown}/resend`, { method: 'POST' });
  await Promise.all([list(), show(shown)]);
  say(`Notice ${shown} is sent once more.`);
}

element('access').addEventListener(
  'submit',
  safely(() => list()),
);
element('more').addEventListener(
  'click',
  safely(() => list(next)),
);
element('resend').addEventListener('click', safely(resend));
