/* global document, fetch, SwaggerUIBundle */
const notice = document.getElementById('notice');

function say(text, isError = false) {
  notice.textContent = text;
  notice.toggleAttribute('data-error', isError);
}

const FAILURES = { 401: 'This token is not valid, or no longer.', 403: 'This token may not see the catalog.' };

async function show(token) {
  const reply = await fetch('./data.json', { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) return say(FAILURES[reply.status] ?? `The catalog answered ${reply.status}.`, true);
  const spec = await reply.json();
  const count = spec.tags.length;
  say(
    count === 0 ? 'No deployed model with samples is open to you.' : `${count} deployed model${count === 1 ? '' : 's'}`,
  );
  const ui = SwaggerUIBundle({
    spec,
    dom_id: '#models',
    deepLinking: true,
    docExpansion: 'list',
    onComplete: () => ui.preauthorizeApiKey('bearer', token),
  });
}

document.getElementById('access').addEventListener('submit', (event) => {
  event.preventDefault();
  show(document.getElementById('token').value.trim()).catch((err) => say(String(err), true));
});
