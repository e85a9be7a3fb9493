import { afterAll, expect, test } from 'vitest';
import { smokeTest } from '../../../activities/packaging/smoke-test.js';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import type { Handle } from '../../../platform/engines/driver.js';
import { launch, MIB, removeMade, shell } from '../../platform/engines/harness.js';

const image = 'slipway.local/python:3.11';
const subject = { engine: createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') }), image };
afterAll(() => removeMade(subject));

/** A model server as its image would hold it. `REPLY` is the status of an answer to the sample. */
const SERVER = `
import http.server, json, os, time
begun = time.time()
os.mkdir("/tmp/samples")
for name, document in (("input", {"data": [[2]]}), ("output", {"prediction": [4.0]})):
    with open("/tmp/samples/%s.json" % name, "w") as stream:
        json.dump(document, stream)
time.sleep(float(os.environ["LISTENS_AFTER"]))
class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        ready = time.time() > begun + float(os.environ["READY_AFTER"])
        self.answer(200 if ready else 503, {"info": {"title": "twice", "version": "1"}})
    def do_POST(self):
        status = int(os.environ["REPLY"])
        if status == 0:
            os._exit(9)
        data = json.loads(self.rfile.read(int(self.headers["content-length"])))["data"]
        self.answer(status, {"prediction": [2 * row[0] for row in data]})
    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", 5000), Server).serve_forever()
`;

/** @param server seconds until it listens and until it is ready, and the status of its answer; 0: it ends instead */
async function start({ listensAfter = 0, readyAfter = 0, reply = 200 } = {}): Promise<Handle> {
  const env = { LISTENS_AFTER: `${listensAfter}`, READY_AFTER: `${readyAfter}`, REPLY: `${reply}` };
  const spec = shell(image, '', {
    command: ['python3', '-c', SERVER],
    env: { ...env, PORT: '5000', MODEL_LOCATION: '/tmp' },
    volumes: ['/tmp'],
    limits: { cpus: 1, memoryBytes: 256 * MIB },
  });
  return launch(subject, spec);
}
const ask = (handle: Handle, readySeconds = 120, signal = new AbortController().signal) =>
  smokeTest(subject.engine, handle, { readySeconds, signal });

test('a server that first does not listen and then is not ready is waited for', async () => {
  const server = await start({ listensAfter: 0.5, readyAfter: 1 });
  expect(await ask(server)).toBe('INFO twice 1 answers its sample');
});

test('a server that refuses its sample is reported with its answer', async () => {
  const refused = ask(await start({ reply: 500 }));
  await expect(refused).rejects.toThrow('/api/model/invoke answers 500: {"prediction": [4]}');
});

test('a server that ends on its sample is reported with its exit code', async () => {
  await expect(ask(await start({ reply: 0 }))).rejects.toThrow('the server ended with exit code 9');
});

test('a server that ended before its first request is reported with its exit code', async () => {
  const { engine } = subject;
  const ended = await launch(subject, shell(image, 'exit 7'));
  await engine.wait(ended, AbortSignal.timeout(150_000));
  await expect(ask(ended)).rejects.toThrow('the server ended with exit code 7');
});

test('patience has an end', async () => {
  await expect(ask(await start({ readyAfter: 3_600 }), 1)).rejects.toThrow('the server was not ready within 1 s');
});

test('a cancellation ends the waiting with its own reason', async () => {
  const canceled = new AbortController();
  const asked = ask(await start({ readyAfter: 3_600 }), 120, canceled.signal);
  const reason = new Error('canceled');
  canceled.abort(reason);
  await expect(asked).rejects.toBe(reason);
});
