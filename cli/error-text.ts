interface PlainError {
  message?: unknown;
  code?: unknown;
}

const toPlain = (error: unknown): PlainError =>
  typeof error === 'object' && error !== null ? error : { message: error };

/** Reads the message of an error by its shape, as errors of the system may come from another realm. */
export const messageOf = (error: unknown): string => String(toPlain(error).message);

/** Whether a file is not there. */
export const isMissingFile = (error: unknown): boolean => toPlain(error).code === 'ENOENT';
