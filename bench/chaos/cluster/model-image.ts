import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import tar from 'tar-stream';
import type { EngineDriver } from '../../../platform/engines/driver.js';

/** Answers as a model server does, with the name of its container and the time. */
const SERVER = `
import http.server, json, os, signal, time

signal.signal(signal.SIGTERM, lambda *args: os._exit(0))

class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self):
        self.rfile.read(int(self.headers.get('content-length') or 0))
        body = json.dumps({'container': os.uname().nodename, 'at': int(time.time() * 1000)}).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer
    log_message = lambda self, *args: None

http.server.ThreadingHTTPServer(('0.0.0.0', 5000), Server).serve_forever()
`;

/** The answer of a model server. */
export interface ModelAnswer {
  /** The name of its container. */
  container: string;
  /** When it answered, in milliseconds. */
  at: number;
}

/** Builds images of two versions of a model that needs next to nothing. @returns their names, and what removes them */
export async function buildModels(engine: EngineDriver, base: string) {
  const run = randomUUID().slice(0, 8);
  const images = ['1', '2'].map((version) => ({ version, tag: `slipway.local/chaos-${run}:${version}` }));
  for (const { version, tag } of images) {
    const context = tar.pack();
    context.entry({ name: 'Dockerfile' }, `FROM ${base}\nCOPY server.py /server.py\nCMD ["python3", "/server.py"]\n`);
    context.entry({ name: 'server.py' }, SERVER);
    context.finalize();
    const labels = { 'dev.slipway.model.name': 'chaos', 'dev.slipway.model.version': version };
    await engine.build(Readable.from(context), { tag, labels, network: 'none' }, () => {});
  }
  return {
    tags: images.map(({ tag }) => tag),
    async remove(): Promise<void> {
      for (const { tag } of images) await engine.removeImage(tag);
    },
  };
}
