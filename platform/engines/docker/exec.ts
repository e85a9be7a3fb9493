import type { Duplex } from 'node:stream';
import type { EngineDriver } from '../driver.js';
import { refused } from '../refusal.js';
import type { EngineContext } from './context.js';
import { toEngineError } from './errors.js';
import { readFrames } from './frames.js';

const MAX_OUTPUT_BYTES = 8 * 1024 ** 2;

/** Commands in running containers. @throws run_failed, reason Timeout */
export function createExec({ docker }: EngineContext): Pick<EngineDriver, 'exec'> {
  return {
    async exec({ name }, command, { timeoutMs, signal: canceled }) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = canceled ? AbortSignal.any([timeout, canceled]) : timeout;
      const options = { Cmd: [...command], AttachStdout: true, AttachStderr: true };
      try {
        const exec = await docker.getContainer(name).exec({ ...options, abortSignal: signal });
        const output = await collect(await exec.start({ hijack: true, stdin: false, abortSignal: signal }), signal);
        const { ExitCode } = await exec.inspect({ abortSignal: signal });
        return { exitCode: ExitCode ?? -1, output };
      } catch (err) {
        canceled?.throwIfAborted();
        if (timeout.aborted) {
          throw refused(`command in container "${name}" takes longer than ${timeoutMs} ms`, { reason: 'Timeout' }, err);
        }
        throw toEngineError(err, `run a command in container "${name}"`);
      }
    },
  };
}

async function collect(stream: Duplex, signal: AbortSignal): Promise<string> {
  const stop = () => stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const { payload } of readFrames(stream)) {
      size += payload.length;
      if (size > MAX_OUTPUT_BYTES) throw refused('command prints more than 8 MiB', { reason: 'Internal' });
      parts.push(payload);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
  return Buffer.concat(parts).toString();
}
