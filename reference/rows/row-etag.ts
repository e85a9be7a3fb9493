/** Returns the ETag of an entity in stored form, complete and with ids as text: its version and its declaration. */
export const rowEtag = (version: number, generation: number): string => `"${version}.${generation}.0"`;
