import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model server that does nothing: what is measured is the gateway, so the model must not be the noise. */
const PREDICTION = Buffer.from('{"prediction":[5.6],"columns":["quality"]}');
const server = createServer((req, res) => {
  req.resume().on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': PREDICTION.length }).end(PREDICTION);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
