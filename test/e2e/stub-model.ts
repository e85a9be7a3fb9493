import { PYTHON } from '../activities/shared/environment-scene.js';
import { contextOf } from '../platform/engines/contract-images.js';
import type { TestPlatform } from './platform.js';

/** Serves as a packaged model does, without a model: it starts fast, and a call lasts as long as its header says. */
const server = (status: number): string => `
import json, signal, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Server(ThreadingHTTPServer):
    request_queue_size = 128

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, status=200):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer({"info": {"title": "stub"}})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        time.sleep(float(self.headers.get("x-stub-seconds", "0")))
        self.answer({"prediction": [[1]]}, ${status})

    def log_message(self, *args):
        pass

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
Server(("0.0.0.0", 5000), Handler).serve_forever()
`;

const LABELS = 'dev.slipway.model.name=stub dev.slipway.model.version=1';

/** Builds the image of a stub that answers calls with `status`, and pushes it. @returns its name */
export async function publishStub({ engine, environment, newId }: TestPlatform, status = 200): Promise<string> {
  const tag = `${environment.SLIPWAY_REGISTRY}/${newId('stub')}:1`;
  const dockerfile = `FROM ${PYTHON}\nLABEL ${LABELS}\nCOPY server.py /server.py\nCMD ["python3", "/server.py"]\n`;
  await engine.build(contextOf(dockerfile, { 'server.py': server(status) }), { tag, network: 'none' }, () => undefined);
  await engine.push(tag, undefined, () => undefined);
  return tag;
}
