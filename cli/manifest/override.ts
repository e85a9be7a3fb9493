import type { Command } from 'commander';

export interface OverrideOptions {
  overrideProtection?: boolean;
}

/** `--override-protection`, for commands that change or delete deployments. */
export const withOverride = (command: Command): Command =>
  command.option('--override-protection', 'as an admin, change also what is protected');
