import type { LogLine, LogPosition } from '../../kinds/log.js';
import type { EngineDriver, Handle } from '../driver.js';
import { certainLines, type ContainerLook } from './certain-lines.js';
import type { EngineContext } from './context.js';
import { inspectContainer } from './inspect.js';
import { call } from './errors.js';
import { readFrames } from './frames.js';
import { joinLines, linesAfter } from './log-lines.js';
import { requestStream } from './request.js';

// A long line may have begun before the line of the position ended.
const MARGIN_MS = 2_000;

/** The output of a container from any position on, without loss and without doubles. */
export function createLogs(context: EngineContext): Pick<EngineDriver, 'logs'> {
  async function* read(
    { name }: Handle,
    { from, follow, signal }: { from?: LogPosition; follow: boolean; signal?: AbortSignal },
  ): AsyncGenerator<LogLine> {
    const doing = `read the log of container "${name}"`;
    const query = { stdout: true, stderr: true, timestamps: true, follow, ...(from && { since: secondsBefore(from) }) };
    const path = `/containers/${encodeURIComponent(name)}/logs`;
    const request = { method: 'GET', path, query, signal } as const;
    const stream = await call(doing, () => requestStream(context.docker, request), { fine: [404], signal });
    if (!stream) return;
    const unfinished = async () => isAlive(await inspectContainer(context, name));
    const lines = linesAfter(joinLines(readFrames(stream), { unfinished }), from);
    try {
      for (;;) {
        const next = await call(doing, () => lines.next(), { signal });
        if (!next || next.done) return;
        yield next.value;
      }
    } finally {
      stream.destroy();
    }
  }

  async function look(name: string): Promise<ContainerLook> {
    const info = await inspectContainer(context, name);
    if (info?.State.Status === 'running') return 'running';
    return isAlive(info) ? 'ending' : 'ended';
  }

  return {
    async *logs(handle, { from, follow, signal }) {
      const readOn = (position: LogPosition | undefined) => read(handle, { from: position, follow: false, signal });
      if (!follow) {
        yield* readOn(from);
        return;
      }
      const ended = new AbortController();
      const ends = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
      const followed = read(handle, { from, follow, signal: ends });
      try {
        yield* certainLines(followed, { from, look: () => look(handle.name), readOn, signal: ends });
      } finally {
        ended.abort();
      }
    },
  };
}

const isAlive = (info: Awaited<ReturnType<typeof inspectContainer>>): boolean =>
  info !== undefined && (info.State.Running || info.State.Paused || info.State.Status === 'stopping');

/** Engines take seconds since 1970. */
function secondsBefore({ at }: LogPosition): number {
  return Math.floor((Date.parse(at) - MARGIN_MS) / 1_000);
}
