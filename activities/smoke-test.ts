import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver, Handle } from '../engines/driver.js';
import { runFailed } from '../resources/reasons.js';

/** Asks the server inside its own container: it has no network, and nothing but Python is sure to be there. */
const ASK = `
import json, os, sys, urllib.request
base = "http://127.0.0.1:" + os.environ["PORT"]
location = os.environ["MODEL_LOCATION"]
def ask(path, body=None):
    request = urllib.request.Request(base + path, body, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=60))
answer = {"info": ask("/api/model/info")["info"]}
sample = os.path.join(location, "samples", "input.json")
if os.path.exists(sample):
    answer["got"] = ask("/api/model/invoke", open(sample, "rb").read())
    recorded = os.path.join(location, "samples", "output.json")
    answer["expected"] = json.load(open(recorded)) if os.path.exists(recorded) else None
print(json.dumps(answer))
`;
const READY = `
import os, urllib.request
urllib.request.urlopen("http://127.0.0.1:" + os.environ["PORT"] + "/healthz/ready", timeout=2)
`;

interface Answer {
  info: { title: string; version: string };
  got?: unknown;
  expected?: unknown;
}

interface Watch {
  readySeconds: number;
  signal: AbortSignal;
  beat: () => void;
}

/**
 * Waits for the started image and lets it answer its own sample.
 * @returns a sentence for the log
 * @throws run_failed, reason SelfCheckFailed
 */
export async function smokeTest(engine: EngineDriver, handle: Handle, watch: Watch): Promise<string> {
  await untilReady(engine, handle, watch);
  const { exitCode, output } = await engine.exec(handle, ['python3', '-c', ASK], 90_000);
  if (exitCode !== 0) throw checkFailed(`the image does not answer: ${lastLine(output)}`);
  const answer = JSON.parse(lastLine(output)) as Answer;
  if (answer.got === undefined) return 'WARNING the model has no sample, only its description was read';
  if (answer.expected !== null && !isClose(answer.got, answer.expected)) {
    throw checkFailed('the image answers the sample otherwise than the model did after its training');
  }
  return `INFO ${answer.info.title} ${answer.info.version} answers its sample`;
}

async function untilReady(engine: EngineDriver, handle: Handle, { readySeconds, signal, beat }: Watch): Promise<void> {
  const deadline = Date.now() + readySeconds * 1_000;
  for (;;) {
    beat();
    const state = await engine.state(handle);
    if (state?.phase === 'exited') throw checkFailed(`the server ended with exit code ${state.exitCode}`);
    const { exitCode } = await engine.exec(handle, ['python3', '-c', READY], 5_000).catch(() => ({ exitCode: 1 }));
    if (exitCode === 0) return;
    if (Date.now() > deadline) throw checkFailed(`the server was not ready within ${readySeconds} s`);
    await sleep(100, undefined, { signal });
  }
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
