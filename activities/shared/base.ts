import type { EngineDriver, LogSink, RegistryAuth } from '../../platform/engines/driver.js';
import { referenceIn } from '../../platform/engines/image-reference.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import { copyImage } from '../../platform/registry/assemble.js';
import type { Image } from '../../platform/registry/image.js';
import { openImage } from '../../platform/registry/open-image.js';
import { type OpenedRepository, openPlatformRepository, type RegistryDeps } from './platform-repository.js';

export interface BaseDeps extends RegistryDeps {
  engine: EngineDriver;
}

/** An image to build upon, by its digest. */
export interface Base {
  /** As it was named. */
  reference: string;
  /** In the platform's registry. */
  image: Image;
  /** Makes it present in the engine. @returns its name there */
  ensure: () => Promise<string>;
}

interface Wanted {
  reference: string;
  auth?: RegistryAuth;
  signal: AbortSignal;
  reason: Reason;
  say: LogSink;
}

/** The registry of images that only the engine has: no host of this name answers. */
const LOCAL = 'slipway.local/';

/**
 * Finds the image that a reference leads to now, and keeps it in the platform's registry, once: from there other images
 * take its layers. It comes from its registry or, where only the engine has it, from there.
 * @throws run_failed with `reason` when there is none; unavailable while its registry cannot be used
 */
export async function openBase(deps: BaseDeps, wanted: Wanted): Promise<Base> {
  const { reference, signal, reason } = wanted;
  const { engine } = deps;
  const bases = await openPlatformRepository(deps, 'bases', { signal, reason });
  const found = await fromRegistry(deps, bases, wanted).catch(errorOf);
  if (found !== undefined && !(found instanceof Error)) {
    const name = `${found.image.repository.name}@${found.image.manifest.digest}`;
    const ensure = async (): Promise<string> => {
      await engine.ensureImage(name, found.auth, signal);
      return name;
    };
    return { reference, image: found.image, ensure };
  }
  signal.throwIfAborted();
  const facts = await engine.inspectImage(reference);
  if (facts) return { reference, image: await fromEngine(deps, bases, wanted, facts.id), ensure: async () => facts.id };
  const message = `there is no image "${reference}", neither in its registry nor in the container engine: check its name`;
  throw found ?? runFailed({ reason, message });
}

/** The digest of the image that a reference leads to now; `undefined` when there is none, or none that was used yet. */
export async function baseDigest(deps: BaseDeps, wanted: Omit<Wanted, 'say'>): Promise<string | undefined> {
  const { reference, signal, reason } = wanted;
  const { repository } = await openPlatformRepository(deps, 'bases', { signal, reason });
  const digest = await digestInRegistry(deps, wanted);
  const key = digest ?? (await deps.engine.inspectImage(reference))?.id;
  return key && (await openImage(repository, tagOf(key), { reason }))?.manifest.digest;
}

const errorOf = (err: unknown): Error => (err instanceof Error ? err : new Error(String(err)));

/** The tag of a copy: of the digest that the reference leads to, or of the id that the engine knows it by. */
const tagOf = (digest: string): string => digest.replace('sha256:', '').slice(0, 32);

const openOutside = ({ registries }: BaseDeps, { reference, auth, signal, reason }: Omit<Wanted, 'say'>) =>
  registries.open(reference, { auth, signal, reason });

/** Asked without the manifest itself, which public registries count and limit. */
async function digestInRegistry(deps: BaseDeps, wanted: Omit<Wanted, 'say'>): Promise<string | undefined> {
  const { reference } = wanted;
  if (reference.startsWith(LOCAL)) return undefined;
  const repository = openOutside(deps, wanted);
  const digest = await repository.manifestDigest(referenceIn(reference));
  return digest === '' ? (await repository.manifest(referenceIn(reference)))?.digest : digest;
}

async function fromRegistry(
  deps: BaseDeps,
  { repository: bases, auth }: OpenedRepository,
  wanted: Wanted,
): Promise<{ image: Image; auth: RegistryAuth | undefined } | undefined> {
  const { reason, reference, say } = wanted;
  const digest = await digestInRegistry(deps, wanted);
  if (digest === undefined) return undefined;
  const present = await openImage(bases, tagOf(digest), { reason });
  if (present) return { image: present, auth };
  const image = await openImage(openOutside(deps, wanted), digest, { reason });
  if (image === undefined) return undefined;
  say(`INFO image ${reference} is copied to ${bases.name}, once`);
  return { image: await copyImage(bases, image, tagOf(digest)), auth };
}

async function fromEngine(
  { engine }: BaseDeps,
  { repository: bases, auth }: OpenedRepository,
  { reference, signal, reason, say }: Wanted,
  id: string,
): Promise<Image> {
  const present = await openImage(bases, tagOf(id), { reason });
  if (present) return present;
  say(`INFO image ${reference} is pushed to ${bases.name}, once`);
  const name = `${bases.name}:${tagOf(id)}`;
  await engine.tag(reference, name);
  await engine.push(name, auth, () => undefined, signal);
  const pushed = await openImage(bases, tagOf(id), { reason });
  if (pushed) return pushed;
  throw runFailed({ reason, message: `registry ${bases.registry} does not keep ${name}, which was pushed to it` });
}
