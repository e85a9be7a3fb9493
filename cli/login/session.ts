import type { Command } from 'commander';
import { createSlipway, type Credentials, type Slipway } from '../../client/index.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { globalOptions, type CliContext } from '../context.js';
import { changeConfig, closeToOthers, configPath, readConfig } from './config-file.js';
import type { ConfigFile } from './config-schema.js';
import { traced } from './trace.js';

/** A client for the server that a command names, or that is logged in at. @throws unauthenticated, validation_failed */
export async function connect(context: CliContext, command: Command): Promise<Slipway> {
  const { env, terminal, version, pause } = context;
  const options = globalOptions(command);
  const path = configPath(options.config, env);
  const config = await readConfig(path);
  const server = findServer(options.server, env, config);
  const credentials = await findCredentials({ context, server, path, config });
  const userAgent = `slipway-cli/${version}`;
  const fetch = options.verbose ? traced(context.fetch, terminal) : context.fetch;
  return createSlipway({ server, credentials, userAgent, fetch, pause });
}

/** @throws validation_failed */
export function findServer(option: string | undefined, env: CliContext['env'], config: ConfigFile): string {
  const server = option ?? (env.SLIPWAY_SERVER || config.api_url);
  if (server !== undefined) return normalServer(server);
  throw new SlipwayError(
    'validation_failed',
    'no server is known; log in with "slipway login --server <url>", or set SLIPWAY_SERVER',
  );
}

/** One form of each address, as logins are kept by it. @throws validation_failed */
function normalServer(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SlipwayError(
      'validation_failed',
      `"${given}" is not the address of a server: use one such as http://127.0.0.1:8080`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

interface Where {
  context: CliContext;
  server: string;
  path: string;
  config: ConfigFile;
}

async function findCredentials({ context, server, path, config }: Where): Promise<Credentials> {
  const { env, terminal } = context;
  const { SLIPWAY_TOKEN: token, SLIPWAY_CLIENT_ID: clientId, SLIPWAY_CLIENT_SECRET: clientSecret } = env;
  if (token) return { token };
  if (clientId && clientSecret) return { clientId, clientSecret };
  const login = config.servers[server];
  if (login === undefined) {
    throw new SlipwayError('unauthenticated', `not logged in at ${server}; run "slipway login --server ${server}"`);
  }
  if (await closeToOthers(path))
    terminal.note(`warning: others on this machine could read ${path}; it is closed to them now`);
  const { token: kept, scope, api_issuing_url: tokenEndpoint, ...rest } = login;
  const write = (fresh: { value: string; expiresAt: number }) =>
    changeConfig(path, ({ servers }) => {
      const stored = servers[server];
      if (stored?.clientId === login.clientId) stored.token = fresh;
    });
  return { ...rest, tokenEndpoint, ...(scope !== undefined && { scope }), cache: { read: async () => kept, write } };
}
