/** `42s`, `3m`, `5h`, `12d`: how long ago, in the two figures that matter. */
export function age(from: string | undefined, now: number): string {
  const ms = now - Date.parse(from ?? '');
  return Number.isNaN(ms) ? '' : duration(ms);
}

/** A span as a person says it: `850ms`, `4.2s`, `1m20s`, `2h5m`, `3d4h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 1) return `${Math.round(seconds * 1_000)}ms`;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, 'm', Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? joined(hours, 'h', minutes % 60, 'm') : joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** A span that is still growing: nothing smaller than seconds, so that it does not flicker. */
export const elapsed = (ms: number): string => (ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1_000)}s` : duration(ms));

const joined = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  `${big}${bigUnit}${small === 0 ? '' : `${small}${smallUnit}`}`;

/** `1h30m`, `45s`, `20m`; a bare number is seconds. @returns milliseconds; undefined when it is no span */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text);
  if (match === null || text === '') return undefined;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

/** Local time, as a person compares it with a watch. */
export function clock(at: string | undefined): string {
  const time = new Date(at ?? '');
  if (Number.isNaN(time.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
