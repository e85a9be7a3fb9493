import { STEADY_HEAP } from './heap-growth.js';
import { keepRunning, type KeptProcessOptions, type PlatformProcess } from './keep-running.js';
import { bundleProgram } from './program.js';

export const PROCESSES = ['api', 'worker', 'gateway', 'uploader'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/**
 * Starts a process of the platform and keeps it running.
 * @throws unavailable, naming the log, when it does not get ready
 */
export function startProcess(name: ProcessName, options: KeptProcessOptions): Promise<PlatformProcess> {
  return keepRunning({ ...options, name, command: () => entryPoint(name) });
}

/** The flags and the program of a process of the platform. */
export async function entryPoint(name: ProcessName): Promise<string[]> {
  const flags = ['--enable-source-maps', ...(name === 'api' ? STEADY_HEAP : [])];
  return [...flags, await bundleProgram(new URL(`../${name}.ts`, import.meta.url))];
}
