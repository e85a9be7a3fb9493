/** `NAME="value" ...` for one `ENV` or `LABEL`: engines spend time, and podman an image, on every instruction. */
export function assignments(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(' ');
}

/** Text as it is: no variable is put in, and no end of a line ends the instruction. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"$]/g, '\\$&').replace(/\p{Cc}+/gu, ' ')}"`;
}
