import { createServer } from 'node:http';
import { createHostCheck } from '../../platform/kinds/allowed-hosts.js';
import { loadSigningKey } from './keys.js';
import { createProvider } from './provider.js';
import { createTokenIssuer } from './tokens.js';

// Arguments: the port, and the folder that keeps the signing key.
const [port, folder] = process.argv.slice(2);
if (process.env.NODE_ENV === 'production') throw new Error('the embedded issuer never runs in production');
if (!port || !folder) throw new Error('name a port and a folder');

const issuer = `http://127.0.0.1:${port}`;
const key = await loadSigningKey(folder);
const handle = createProvider({ issuer, key, tokens: createTokenIssuer({ issuer, key }) }).callback();

const isAllowedHost = createHostCheck([]);
const server = createServer((request, response) => {
  // The secrets of its clients are well known: no page of a browser gets tokens by another name of this machine.
  if (!isAllowedHost(request.headers.host)) return void response.writeHead(400).end();
  // Clients join an issuer that ends in a slash with a path that begins with one.
  request.url = request.url?.replace(/^\/{2,}/, '/');
  void handle(request, response);
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
