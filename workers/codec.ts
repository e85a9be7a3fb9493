import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseSettings } from '../config.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { createCodecEndpoint } from './compose/codec-endpoint.js';
import { listen } from './compose/listen.js';
import { createPayloadCodec } from './compose/payload-codec.js';
import { openKeyRing } from './compose/secret-box.js';

// `slipway secrets codec` starts it. Argument: the port. Its settings are those of the environment.
const HOST = '127.0.0.1';

try {
  const settings = parseSettings(process.env);
  const token = randomBytes(18).toString('base64url');
  const codec = createPayloadCodec(openKeyRing(settings), { encrypts: false });
  const { origin } = new URL(settings.SLIPWAY_TEMPORAL_UI_URL);
  const server = createServer(createCodecEndpoint({ codec, token, origin }));
  const port = Number(process.argv[2]);
  await listen(server, { host: HOST, port });
  console.log(`codec server of Temporal's Web UI at ${origin}, until Ctrl-C: http://${HOST}:${port}/${token}`);
} catch (err) {
  console.error(err instanceof SlipwayError ? err.message : err);
  process.exit(2);
}
