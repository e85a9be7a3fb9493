import { Command, Option } from 'commander';
import { createSlipway, discoverTokenEndpoint, requestToken } from '../../client/index.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { globalOptions, type CliContext } from '../context.js';
import { changeConfig, configPath, readConfig } from './config-file.js';
import { ask, askSecret, readAll } from './secret.js';
import { findDevelopmentClient, isLocal } from './development-client.js';
import { findServer } from './session.js';
import { traced } from './trace.js';

interface LoginOptions {
  clientId?: string;
  clientSecretStdin?: boolean;
  issuer?: string;
  scope?: string;
}

/** `slipway login`: finds the issuer, tries the credentials, and keeps them for the commands that follow. */
export function loginCommand(context: CliContext): Command {
  return new Command('login')
    .description('log in with client credentials')
    .option('--client-id <id>', 'client of the OpenID issuer (SLIPWAY_CLIENT_ID; else you are asked)')
    .option(
      '--client-secret-stdin',
      'read the secret from standard input (else SLIPWAY_CLIENT_SECRET; else you are asked)',
    )
    .option('--issuer <url>', 'OpenID issuer, where the server does not name it')
    .addOption(new Option('--scope <scope>', 'scope to ask for, as some issuers need').default('openid'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: LoginOptions, command: Command) => {
      const { terminal, env, version } = context;
      const { config: file, server: named, verbose } = globalOptions(command);
      const path = configPath(file, env);
      const server = findServer(named, env, { api_url: LOCAL, ...(await readConfig(path)) });
      const fetch = verbose ? traced(context.fetch, terminal) : context.fetch;
      // Before the prompt: a wrong address fails at once.
      const tokenEndpoint = await discoverTokenEndpoint({ server, issuer: options.issuer, fetch });
      warnOfPlainText(server, context);
      warnOfPlainText(tokenEndpoint, context);
      const { clientId, clientSecret } = await findClient(context, options, { tokenEndpoint, fetch });
      const { scope } = options;
      const login = { clientId, clientSecret, ...(scope !== undefined && { scope }) };
      const token = await requestToken({ ...login, tokenEndpoint, fetch });
      const slipway = createSlipway({
        server,
        credentials: { token: token.value },
        fetch,
        userAgent: `slipway-cli/${version}`,
      });
      // The issuer knows this client; whether the server accepts its tokens is another question.
      const { data } = await slipway.http.GET('/api/v1/user/info');
      await changeConfig(path, (config) => {
        config.servers[server] = { ...login, api_issuing_url: tokenEndpoint, token };
        config.api_url = server;
      });
      const roles = data?.roles.join(', ');
      terminal.note(
        `logged in at ${server} as ${data?.username ?? clientId}${roles ? ` (${roles})` : ', without any role'}`,
      );
    });
}

const EXAMPLES = `
Examples:
  slipway login                                    at a platform on this machine, without questions
  slipway login --server https://slipway.example.org --client-id ci --client-secret-stdin < secret.txt

Continuous integration needs no login: set SLIPWAY_SERVER, SLIPWAY_CLIENT_ID and SLIPWAY_CLIENT_SECRET,
or SLIPWAY_SERVER and SLIPWAY_TOKEN.`;

/** The address of a platform that was started on this machine. */
const LOCAL = 'http://127.0.0.1:8080';

/** The client that was named; else that of a development issuer on this machine; else the answers to two questions. */
async function findClient(
  context: CliContext,
  options: LoginOptions,
  issuer: { tokenEndpoint: string; fetch: typeof globalThis.fetch },
): Promise<{ clientId: string; clientSecret: string }> {
  const { env, terminal } = context;
  const named = options.clientId ?? env.SLIPWAY_CLIENT_ID;
  const hasSecret = options.clientSecretStdin === true || Boolean(env.SLIPWAY_CLIENT_SECRET);
  const known = named || hasSecret ? undefined : await findDevelopmentClient(issuer);
  if (known !== undefined) {
    terminal.note(`using the development client ${known.id}; --client-id names another`);
    return { clientId: known.id, clientSecret: known.secret };
  }
  return {
    clientId: named || (await askFor(context, 'client id', ask)),
    clientSecret: await findSecret(context, options),
  };
}

async function findSecret(context: CliContext, { clientSecretStdin }: LoginOptions): Promise<string> {
  if (clientSecretStdin) return readAll(context.stdin);
  return context.env.SLIPWAY_CLIENT_SECRET || askFor(context, 'client secret', askSecret);
}

/** @throws validation_failed when there is no terminal to answer */
async function askFor(
  context: CliContext,
  what: 'client id' | 'client secret',
  how: (context: CliContext, question: string) => Promise<string>,
): Promise<string> {
  const given = context.stdin.isTTY ? await how(context, `${what}: `) : '';
  if (given !== '') return given;
  const [option, variable] =
    what === 'client id' ? ['--client-id', 'SLIPWAY_CLIENT_ID'] : ['--client-secret-stdin', 'SLIPWAY_CLIENT_SECRET'];
  throw new SlipwayError('validation_failed', `the ${what} is missing: use ${option} or ${variable}`);
}

function warnOfPlainText(address: string, { terminal }: CliContext): void {
  const { protocol, origin } = new URL(address);
  if (protocol === 'http:' && !isLocal(address))
    terminal.note(`warning: ${origin} is not encrypted; others can read what goes there`);
}
