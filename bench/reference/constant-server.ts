import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEAD_LIMITS } from '../../platform/kinds/request-head.js';
import { reportCpu } from './cpu-report.js';
import { reportPauses } from './pauses.js';

// Answers so many bytes to whatever is asked: what the client, node:http and the machine take by themselves.
const body = 'x'.repeat(Number(process.argv[2]));
const server = createServer(HEAD_LIMITS, (_req, res) => {
  res.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)]).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
reportCpu();
reportPauses();
process.on('disconnect', () => process.exit());
