import { setFlagsFromString } from 'node:v8';

/**
 * For a process whose answers may not wait. Left to itself, V8 collects the old generation each time that it has grown by
 * a tenth, which is every few seconds under load: its marking takes a core for 150 ms, and requests wait meanwhile. Here it
 * may become three times as large first. What lies in array buffers, as rows and indexes do, is not part of it.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=200');
}
