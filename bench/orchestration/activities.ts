export async function nothing(): Promise<void> {}
