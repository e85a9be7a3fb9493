import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Standard output for data, standard error for everything else. */
export interface Terminal {
  /** One or more lines of data. */
  out: (text: string) => void;
  /** Progress, hints and warnings. */
  note: (text: string) => void;
  /** Colors text that goes to `out`; leaves it alone where colors are not wanted. */
  paint: (style: Style, text: string) => string;
  /** The same for `note`. */
  paintNote: (style: Style, text: string) => string;
  /** Where a display that moves may be drawn; undefined without a terminal. */
  live: WriteStream | undefined;
  /** Where a person is asked: standard error. */
  questions: NodeJS.WritableStream;
}

interface Streams {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
}

export function createTerminal({ stdout, stderr, env }: Streams): Terminal {
  const painter = (stream: NodeJS.WritableStream) => {
    const colored = isTty(stream) && stream.hasColors(env);
    return (style: Style, text: string): string =>
      // `styleText` would ask the standard output of the process, whichever stream the text goes to.
      colored ? styleText(style, text, { validateStream: false }) : text;
  };
  return {
    out: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    paint: painter(stdout),
    paintNote: painter(stderr),
    questions: stderr,
    // A log of CI may be a terminal that cannot move its cursor, and one that knows not its size has no room.
    live: isTty(stderr) && stderr.columns > 0 && stderr.rows > 0 && env.TERM !== 'dumb' && !env.CI ? stderr : undefined,
  };
}

const isTty = (stream: NodeJS.WritableStream): stream is WriteStream => 'isTTY' in stream && stream.isTTY === true;
