/* global fetch */

/** Calls of the platform with the token of the person who is logged in. */
export function createCall(token) {
  return (path, { headers, ...options } = {}) =>
    fetch(`../../${path}`, { ...options, headers: { ...headers, authorization: `Bearer ${token}` } });
}

/** Changes a resource, unless its generation is another one than the person has seen. */
export function change(call, path, { generation, body }) {
  const headers = { 'content-type': 'application/json', 'if-match': `"${generation}"` };
  return call(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The API's own sentence about why it refused. */
export async function refusalIn(reply) {
  const { message } = await reply.json().catch(() => ({}));
  return message ?? `The API answered ${reply.status}.`;
}
