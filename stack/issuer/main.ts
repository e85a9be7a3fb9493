import { createServer } from 'node:http';
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

const server = createServer((request, response) => {
  // Clients join an issuer that ends in a slash with a path that begins with one.
  request.url = request.url?.replace(/^\/{2,}/, '/');
  void handle(request, response);
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
