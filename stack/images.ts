import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { createDockerEngine } from '../platform/engines/docker/engine.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { packContext } from './build-context.js';
import { exists } from './cache.js';
import { isPullable } from './pullable.js';
import { ensureRootfs } from './rootfs.js';
import { logFileOf } from './service-process.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

const FOLDER = join(import.meta.dirname, 'images');
const PUBLIC_PYTHON = 'docker.io/library/python:3.11-slim';
const BASE_IMAGE = 'slipway.local/python:3.11';
/** The base images that are replaced where they cannot be pulled: those of the specification and of our own models. */
const REPLACED = ['3.6', '3.11', '3.11-slim'].flatMap((tag) => [`python:${tag}`, `docker.io/library/python:${tag}`]);
/** Settings of the builder that a package installation needs to get out. */
const PASSED_ON = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL'];
const LABEL = 'dev.slipway.base';

type Base = 'public' | 'debian';

export function toolchainImage(key: string): string {
  return `slipway.local/ml-toolchain:${key}`;
}

/** Names the content of the images: their recipes, locked packages and the certificates that they trust. */
export async function imageKey(environment: ServiceContext['environment']): Promise<string> {
  const hash = createHash('sha256');
  const names = [
    'python.Containerfile',
    'public-python.Containerfile',
    'ml-toolchain.Containerfile',
    'requirements.lock',
  ];
  for (const path of [...names.map((name) => join(FOLDER, name)), await certificates(environment)]) {
    hash.update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 12);
}

/** The settings that lead to the images. */
export function imageSettings(key: string, base: Base): ServiceContext['found'] {
  const image = toolchainImage(key);
  return {
    SLIPWAY_TOOLCHAIN_IMAGE: image,
    SLIPWAY_BUILDER_IMAGE: image,
    ...(base === 'debian' && { SLIPWAY_IMAGE_MIRRORS: REPLACED.map((name) => `${name}=${BASE_IMAGE}`).join(',') }),
  };
}

/** Reads what the images in an engine were made from; undefined when they are not there. */
export async function findImages(docker: Docker, key: string): Promise<Base | undefined> {
  const facts = await createDockerEngine({ docker }).inspectImage(toolchainImage(key));
  if (!facts) return undefined;
  return facts.labels[LABEL] === 'public' ? 'public' : 'debian';
}

/** Builds base and toolchain image in the engine. */
export async function buildImages(
  docker: Docker,
  key: string,
  context: ServiceContext,
  tools: StepTools,
): Promise<Base> {
  const engine = createDockerEngine({ docker, buildNetwork: 'host' });
  const { signal } = tools;
  const logFile = logFileOf(context.stateDir, 'build-images');
  const log = (line: string) => appendFileSync(logFile, `${line}\n`);
  const build = async (tag: string, files: Record<string, string>, base: Base) => {
    const options = {
      tag,
      network: 'none' as const,
      labels: { [LABEL]: base },
      buildArgs: passedOn(context.environment),
      signal,
    };
    try {
      await engine.build(packContext(files), options, log);
    } catch (cause) {
      signal.throwIfAborted();
      const remedy =
        'check that Python packages can be downloaded and that 3 GB are free, then run the same command again';
      throw new SlipwayError(
        'unavailable',
        `image ${tag} cannot be built: ${messageOf(cause)}; see ${logFile}; ${remedy}`,
        { cause },
      );
    }
  };

  const base: Base = (await isPullable(docker, PUBLIC_PYTHON, signal)) ? 'public' : 'debian';
  const common = { 'ca-certificates.crt': await certificates(context.environment) };
  const files =
    base === 'public'
      ? { Dockerfile: join(FOLDER, 'public-python.Containerfile'), ...common }
      : {
          Dockerfile: join(FOLDER, 'python.Containerfile'),
          ...common,
          'rootfs.tar': await ensureRootfs(context, tools),
        };
  await build(BASE_IMAGE, files, base);
  tools.say('building the toolchain image, once, about 1 min');
  const toolchain = {
    Dockerfile: join(FOLDER, 'ml-toolchain.Containerfile'),
    'requirements.lock': join(FOLDER, 'requirements.lock'),
  };
  await build(toolchainImage(key), toolchain, base);
  await engine.tag(toolchainImage(key), toolchainImage('latest'));
  return base;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function passedOn(environment: ServiceContext['environment']): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = environment[name] || environment[name.toLowerCase()];
    if (value) passed[name] = value;
  }
  return passed;
}

/** The certificates that this machine trusts, so that builds in containers trust the same. */
async function certificates({ SSL_CERT_FILE, NODE_EXTRA_CA_CERTS }: ServiceContext['environment']): Promise<string> {
  const candidates = [SSL_CERT_FILE, '/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/cert.pem', NODE_EXTRA_CA_CERTS];
  for (const path of candidates) if (path && (await exists(path))) return path;
  throw new SlipwayError('unavailable', 'no certificates found; install ca-certificates or set SSL_CERT_FILE');
}
