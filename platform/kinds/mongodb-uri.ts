/** The options of a URI that decide what a fail-over takes back and what a read shows, and their only accepted value. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['w', 'majority'],
  ['j', 'true'],
  ['journal', 'true'],
  ['readpreference', 'primary'],
]);

/** Returns the first option of a MongoDB URI that weakens writes or reads, such as `w=1`. Names ignore case. */
export function weakOption(uri: string): string | undefined {
  const [, query] = uri.split('?');
  for (const [name, value] of new URLSearchParams(query)) {
    const required = REQUIRED.get(name.toLowerCase());
    if (required !== undefined && value !== required) return `${name}=${value}`;
  }
  return undefined;
}
