import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { withOwnSignal } from '../../platform/kinds/own-signal.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { MOST_SLOWDOWN, within } from '../shared/ready-limit.js';

/** Exit code of a server that does not get ready. */
const NOT_READY = 75;
/** How long the description and the sample may take. */
const ANSWER_SECONDS = 90;

/**
 * Asks the server inside its own container: it has no network, and nothing but Python is sure to be there. One command
 * waits and asks, for every further one would take its own start from the cores that the server starts on.
 */
const ASK = `
import http.client, json, os, sys, time
def ask(method, path, body=None, timeout=60):
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]), timeout=timeout)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read().decode("utf-8")
    finally:
        connection.close()
    if reply.status != 200:
        sys.exit("{} answers {}: {}".format(path, reply.status, " ".join(text.split())[:500]))
    return json.loads(text) if text else {}
name = os.environ.get("MODEL_NAME", "")
if "MODEL_REPOSITORY" in os.environ:
    ready, info, predict = ["/v2/health/ready"] + ["/v2/models/" + name + end for end in ("", "/infer")]
else:
    ready, info, predict = "/healthz/ready", "/api/model/info", "/api/model/invoke"
def is_ready():
    try:
        ask("GET", ready, timeout=2)
        return True
    except (Exception, SystemExit):
        return False
started = time.time()
while not is_ready():
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    limit = float(sys.argv[1]) * max(1, min(float(sys.argv[3]), load))
    if time.time() - started > limit:
        print(round(limit))
        sys.exit(${NOT_READY})
    time.sleep(0.02)
described = ask("GET", info)
answer = {"info": described.get("info") or {"title": name, "version": os.environ.get("MODEL_VERSION", "")}}
samples = os.path.join(os.environ["MODEL_LOCATION"], "samples")
sample = sys.argv[2] or os.path.join(samples, "input.json")
if os.path.exists(sample):
    with open(sample, "rb") as stream:
        answer["got"] = ask("POST", predict, stream.read())
    recorded = os.path.join(samples, "output.json")
    answer["expected"] = json.load(open(recorded)) if os.path.exists(recorded) else None
print(json.dumps(answer))
`;

interface Answer {
  info: { title: string; version: string };
  got?: unknown;
  expected?: unknown;
}

export interface CheckWatch {
  readySeconds: number;
  signal: AbortSignal;
  /** How long the engine may take to tell of the server's end: more than a moment on a busy machine. */
  endMs?: number;
}

/** @param request file in the container with the body of an invoke */
export async function invokeInside(
  engine: EngineDriver,
  handle: Handle,
  { request, ...watch }: CheckWatch & { request: string },
): Promise<unknown> {
  return (await ask(engine, handle, watch, request)).got;
}

/**
 * Waits for the started image and lets it answer its own sample.
 * @returns a sentence for the log
 * @throws run_failed, reason SelfCheckFailed
 */
export async function smokeTest(engine: EngineDriver, handle: Handle, watch: CheckWatch): Promise<string> {
  const answer = await ask(engine, handle, watch);
  if (answer.got === undefined) return 'WARNING the model has no sample, only its description was read';
  if (answer.expected !== null && !isClose(answer.got, answer.expected)) {
    throw checkFailed('the image answers the sample otherwise than the model did after its training');
  }
  return `INFO ${answer.info.title} ${answer.info.version} answers its sample`;
}

async function ask(
  engine: EngineDriver,
  handle: Handle,
  { readySeconds, signal, endMs = 5_000 }: CheckWatch,
  request = '',
): Promise<Answer> {
  const command = ['python3', '-c', ASK, String(readySeconds), request, String(MOST_SLOWDOWN)];
  const timeoutMs = (readySeconds * MOST_SLOWDOWN + ANSWER_SECONDS) * 1_000;
  const { exitCode, output } = await engine.exec(handle, command, { timeoutMs, signal }).catch(async (err: unknown) => {
    signal.throwIfAborted();
    await refuseEnded(engine, handle, { signal, endMs });
    throw err;
  });
  if (exitCode === 0) return JSON.parse(lastLine(output)) as Answer;
  if (exitCode === NOT_READY)
    throw checkFailed(`the server was not ready ${within(readySeconds, Number(lastLine(output)))}`);
  await refuseEnded(engine, handle, { signal, endMs });
  throw checkFailed(`the image does not answer: ${lastLine(output) || `exit code ${exitCode}`}`);
}

/** A server that ends takes the command beside it along, and the engine may tell of the end a moment later. */
async function refuseEnded(
  engine: EngineDriver,
  handle: Handle,
  { signal, endMs }: { signal: AbortSignal; endMs: number },
): Promise<void> {
  const wait = (soon: AbortSignal) => engine.wait(handle, soon);
  const state = await withOwnSignal({ parent: signal, limitMs: endMs }, wait).catch(() => engine.state(handle));
  if (state?.phase === 'exited') throw checkFailed(`the server ended with exit code ${state.exitCode}`);
}

const TOLERANCE = 1e-6;

/** Equal shape, and numbers equal to 1e-6 of the larger one. */
export function isClose(got: unknown, expected: unknown): boolean {
  if (typeof got === 'number' && typeof expected === 'number') {
    return Math.abs(got - expected) <= TOLERANCE * Math.max(1, Math.abs(got), Math.abs(expected));
  }
  if (Array.isArray(got) && Array.isArray(expected)) {
    return got.length === expected.length && got.every((item, index) => isClose(item, expected[index]));
  }
  if (isRecord(got) && isRecord(expected)) {
    return Object.keys(expected).every((key) => isClose(got[key], expected[key]));
  }
  return got === expected;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

function checkFailed(message: string): Error {
  return runFailed({ reason: 'SelfCheckFailed', message });
}
