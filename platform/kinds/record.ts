/** Whether a client sent nothing: `null` and `""` count as absent. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
