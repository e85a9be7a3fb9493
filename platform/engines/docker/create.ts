import type { ContainerSpec, Handle } from '../driver.js';
import { refused } from '../refusal.js';
import { specDigest } from '../spec-digest.js';
import { containerConfig } from './container-config.js';
import type { EngineContext } from './context.js';
import { statusOf, textOf, toEngineError } from './errors.js';
import { inspectContainer } from './inspect.js';
import { ensureNetwork } from './networks.js';
import { removeContainer } from './remove.js';

const ATTEMPTS = 5;

/** The attach rule: same name and spec is the same container, whoever made it; another spec is replaced. */
export async function createContainer(
  context: EngineContext,
  spec: ContainerSpec,
): Promise<{ handle: Handle; existed: boolean }> {
  const handle = { name: spec.name };
  const digest = specDigest(spec);
  // More than once, because another worker may create or remove the name between our look and our call.
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await inspectContainer(context, spec.name);
    const isSame = found?.Config.Labels['slipway.spec'] === digest;
    if (found && !isSame) await removeContainer(context, spec.name);
    if (isSame || (await createNew(context, spec, digest))) {
      const isRunning = isSame && found.State.Running;
      // The removal of an earlier container of this name may have taken the network with it meanwhile.
      if (!isRunning) await ensureNetwork(context, spec);
      return { handle, existed: isSame };
    }
  }
  throw refused(`container "${spec.name}" is created by others again and again`, { reason: 'Internal' });
}

/** @returns false when the name is taken */
async function createNew(context: EngineContext, spec: ContainerSpec, digest: string): Promise<boolean> {
  const network = await ensureNetwork(context, spec);
  const cpus = await cpusOnHost(context, spec);
  try {
    await context.docker.createContainer(containerConfig(context, spec, { network, cpus, digest }));
    return true;
  } catch (err) {
    // Docker: 409. Podman 4.3: 500 and this text.
    if (statusOf(err) === 409 || /name .*already in use/.test(textOf(err))) return false;
    throw toEngineError(err, `create container "${spec.name}"`);
  }
}

// Docker refuses more cores than the host has, podman accepts them: both get what there is.
async function cpusOnHost({ host, warn }: EngineContext, { name, limits }: ContainerSpec): Promise<number> {
  const { cpus } = await host();
  if (limits.cpus <= cpus) return limits.cpus;
  warn(`container "${name}" may use ${limits.cpus} cpus, its host has ${cpus}`);
  return cpus;
}
