import type { LogLine, LogPosition } from '../../kinds/log.js';
import type { EngineDriver, Handle } from '../driver.js';
import type { EngineContext } from './context.js';
import { inspectContainer } from './inspect.js';
import { call } from './errors.js';
import { readFrames } from './frames.js';
import { joinLines, linesAfter, positionAfter } from './log-lines.js';
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

  return {
    async *logs(handle, { from, follow, signal }) {
      let position = from;
      if (follow) {
        for await (const line of read(handle, { from, follow, signal })) {
          position = positionAfter(line, position);
          yield line;
        }
      }
      // Lines written between the end of a followed stream and the end of the container.
      yield* read(handle, { from: position, follow: false, signal });
    },
  };
}

const isAlive = (info: Awaited<ReturnType<typeof inspectContainer>>): boolean =>
  info !== undefined && (info.State.Running || info.State.Paused);

/** Engines take seconds since 1970. */
function secondsBefore({ at }: LogPosition): number {
  return Math.floor((Date.parse(at) - MARGIN_MS) / 1_000);
}
