/** The platform's own program, which trains projects of MLflow and collects the model that they log. */
export const MODEL_RUNNER = 'python3 -m slipway_runner';
/** As `MODEL_RUNNER`, but it collects the files that a project writes. */
export const FILES_RUNNER = `${MODEL_RUNNER} --collect files`;

/** The program of a toolchain. */
export interface ToolchainProgram {
  /** Arguments follow. */
  command: string[];
  /** Whether it is the platform's: that one makes the environment of a project, and takes its arguments by names. */
  isPlatform: boolean;
  /** Whether its artifacts can answer their own sample. */
  isChecked: boolean;
}

/** @param entrypoint words with blanks between them; absent when the toolchain was deleted meanwhile */
export function toolchainProgram(entrypoint = MODEL_RUNNER): ToolchainProgram {
  const command = entrypoint.split(/\s+/).filter((word) => word !== '');
  const text = command.join(' ');
  return { command, isPlatform: text === MODEL_RUNNER || text === FILES_RUNNER, isChecked: text === MODEL_RUNNER };
}
