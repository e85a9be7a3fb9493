/** Whether the operating system said so (a full disk, a broken connection) and not the content that was read. */
export function isSystemError(err: unknown): err is Error & { code: string; syscall: string } {
  return typeof err === 'object' && err !== null && 'syscall' in err && 'code' in err && typeof err.code === 'string';
}
