/**
 * Flags of V8 for a process whose answers may not wait. Left to itself, V8 collects the old generation each time that it
 * has grown by a tenth, which is every few seconds under load: its marking takes a core for 150 ms, and requests wait
 * meanwhile. Here it may become three times as large first. And in a quiet minute V8 makes the heap small, after which
 * requests wait for 100 to 300 ms in the first second of load. What lies in array buffers, as rows and indexes do, is not
 * part of any of it.
 */
export const STEADY_HEAP = ['--heap-growing-percent=200', '--no-memory-reducer'] as const;
