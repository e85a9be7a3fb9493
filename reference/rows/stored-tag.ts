/** ETag of an entity as it is stored, whole and with ids as text: of its version, and of the declaration it is read by. */
export const storedTag = (version: number, generation: number): string => `"${version}.${generation}.0"`;
