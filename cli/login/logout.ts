import { Command } from 'commander';
import { globalOptions, type CliContext } from '../context.js';
import { changeConfig, configPath, readConfig } from './config-file.js';
import { findServer } from './session.js';

/** `slipway logout`: forgets the credentials of one server. */
export function logoutCommand({ terminal, env }: CliContext): Command {
  return new Command('logout')
    .description('forget the credentials of a server')
    .addHelpText('after', '\nExample:\n  slipway logout --server https://slipway.example.org')
    .action(async (_options: object, command: Command) => {
      const { config: file, server: named } = globalOptions(command);
      const path = configPath(file, env);
      const config = await readConfig(path);
      const server = findServer(named, env, config);
      if (config.servers[server] === undefined) return terminal.note(`not logged in at ${server}`);
      await changeConfig(path, (stored) => {
        delete stored.servers[server];
        if (stored.api_url === server) delete stored.api_url;
      });
      terminal.note(`logged out of ${server}`);
    });
}
