import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { GitServer } from './git-server.js';
import type { Located } from './git-source.js';

const SILENCE_SECONDS = 60;
const KEEPALIVE = ['ServerAliveInterval=15', `ServerAliveCountMax=${SILENCE_SECONDS / 15}`];
/** The variables of the worker that git may have: where its programs are, the authorities it trusts, the proxy. */
const AUTHORITIES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'];
const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const PASSED_ON = ['PATH', ...AUTHORITIES, ...PROXIES];

/** All that git and ssh see. @param secrets an empty folder that lives as long as they run */
export async function gitEnvironment(source: Located, secrets: string): Promise<Record<string, string>> {
  const passedOn = PASSED_ON.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  });
  const environment: Record<string, string> = {
    ...Object.fromEntries(passedOn),
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
    HOME: secrets,
  };
  if (source.form === 'ssh') environment.GIT_SSH_COMMAND = await sshCommand(source, secrets);
  const config = gitConfig(source);
  config.forEach(([name, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return { ...environment, GIT_CONFIG_COUNT: String(config.length) };
}

function gitConfig({ uri, form, key, server, silenceSeconds = SILENCE_SECONDS }: Located): [string, string][] {
  const config: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['protocol.file.allow', form === 'local' ? 'always' : 'never'],
    ['protocol.ext.allow', 'never'],
    ['submodule.recurse', 'false'],
    // git sends its headers on to wherever a redirect leads.
    ['http.followRedirects', 'false'],
    // A server that accepts and never answers must not hold the step.
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', String(silenceSeconds)],
    ['safe.directory', '*'],
  ];
  if (form !== 'http') return config;
  if (server !== undefined && isIP(server.host) === 0) {
    config.push(['http.curloptResolve', `${server.host}:${server.port}:${bracketed(server)}`]);
  }
  if (key !== undefined) {
    // By environment, because arguments are visible to every process of the machine.
    config.push([
      `http.${new URL('/', uri).href}.extraHeader`,
      `Authorization: Basic ${Buffer.from(`x-access-token:${key}`).toString('base64')}`,
    ]);
  }
  return config;
}

const bracketed = ({ address }: GitServer): string => (isIP(address) === 6 ? `[${address}]` : address);

/** ssh with the connection's identity only: no file, no agent and no key of the worker's user counts. */
async function sshCommand({ key, hostKey, server }: Located, secrets: string): Promise<string> {
  const known = join(secrets, 'known_hosts');
  await writeFile(known, hostKey === undefined ? '' : `* ${hostKey}\n`, { mode: 0o600 });
  if (key !== undefined) await writeFile(join(secrets, 'key'), key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
  const options = [
    // Without a key this names none: ssh would take those of the user's folder.
    `IdentityFile=${key === undefined ? 'none' : join(secrets, 'key')}`,
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'BatchMode=yes',
    'ConnectTimeout=15',
    ...KEEPALIVE,
    ...(server === undefined ? [] : [`HostName=${server.address}`, `HostKeyAlias=${server.host}`]),
    `UserKnownHostsFile=${known}`,
    'GlobalKnownHostsFile=/dev/null',
    `StrictHostKeyChecking=${hostKey === undefined ? 'accept-new' : 'yes'}`,
  ];
  return ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])].join(' ');
}
