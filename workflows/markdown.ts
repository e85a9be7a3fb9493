/** The Web UI cuts off the last line of a text: a blank one, which it does not leave out. */
export const END = ['', '\u00a0'];

/** UTC, as all times. */
export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** Names the day unless it is the known one. */
export const timeOf = (milliseconds: number, knownDay: string): string => {
  const time = new Date(milliseconds).toISOString().slice(11, 19);
  return dayOf(milliseconds) === knownDay ? time : unbroken(`${dayOf(milliseconds)} ${time}`);
};

/** Keeps a text on one line. */
export const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011');

/** Text of users on one line, without meaning in Markdown. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_<>[\]|]/g, '\\$&');
}
