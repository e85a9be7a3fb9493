import type { AuthConfig } from 'dockerode';
import type { EngineDriver, ImageFacts, RegistryAuth } from '../driver.js';
import { fullImageReference, parseImageReference } from '../image-reference.js';
import { refused } from '../refusal.js';
import type { EngineContext } from './context.js';
import { call } from './errors.js';
import type { HostFacts } from './host.js';
import { followProgress } from './progress.js';

type Images = Pick<EngineDriver, 'ensureImage' | 'inspectImage' | 'build' | 'push' | 'tag' | 'removeImage'>;

/** Images by their full names. */
export function createImages({ docker, host, buildNetwork }: EngineContext): Images {
  const image = (ref: string) => docker.getImage(fullImageReference(ref));

  async function inspectImage(ref: string): Promise<ImageFacts | undefined> {
    const info = await call(`inspect image "${ref}"`, () => image(ref).inspect(), { fine: [404] });
    return (
      info && {
        id: info.Id.startsWith('sha256:') ? info.Id : `sha256:${info.Id}`,
        digests: info.RepoDigests ?? [],
        labels: info.Config.Labels ?? {},
        env: info.Config.Env ?? [],
        sizeBytes: info.Size,
        layers: info.RootFS.Layers ?? [],
        createdAt: info.Created,
      }
    );
  }

  /** For an operation that has just made the image. */
  async function requireImage(ref: string, refusal: Parameters<typeof refused>[1]): Promise<ImageFacts> {
    const facts = await inspectImage(ref);
    if (!facts) throw refused(`engine does not have image "${ref}"`, refusal);
    return facts;
  }

  return {
    inspectImage,

    async ensureImage(ref, auth, signal) {
      const present = await inspectImage(ref);
      if (present) return present;
      const reason = 'ImagePullFailed';
      const doing = `pull image "${ref}"`;
      const options = { ...(auth && { authconfig: toAuthConfig(auth) }), ...(signal && { abortSignal: signal }) };
      await call(doing, async () => followProgress(await pull(ref, options), { doing, reason }), { reason, signal });
      return requireImage(ref, { reason });
    },

    async build(context, { tag, labels, buildArgs, signal }, log) {
      const reason = 'PackagerFailed';
      const doing = `build image "${tag}"`;
      const options = {
        t: fullImageReference(tag),
        labels: { ...labels },
        buildargs: { ...buildArgs },
        networkmode: buildNetwork === 'none' ? networkOfNone(await host()) : buildNetwork,
        rm: true,
        forcerm: true,
        abortSignal: signal,
      };
      const build = async () =>
        followProgress(toChunks(await docker.buildImage(context, options)), { doing, reason, log });
      await call(doing, build, { reason, signal });
      return requireImage(tag, { reason });
    },

    async push(ref, auth, log, signal) {
      const reason = 'PushFailed';
      const doing = `push image "${ref}"`;
      const { name, tag } = parseImageReference(ref);
      // Podman refuses a name with its tag when the tag is an option too, Docker wants the option.
      const options = { tag, ...(auth && { authconfig: toAuthConfig(auth) }), ...(signal && { abortSignal: signal }) };
      const push = async () =>
        followProgress(toChunks(await docker.getImage(name).push(options)), { doing, reason, log });
      const pushed = await call(doing, push, { reason, signal });
      if (!pushed?.digest) throw refused(`registry gave no digest for image "${ref}"`, { reason });
      return { digest: pushed.digest };
    },

    async tag(ref, alias) {
      const { name, tag } = parseImageReference(alias);
      await call(`tag image "${ref}"`, () => image(ref).tag({ repo: name, tag }));
    },

    async removeImage(ref) {
      await call(`remove image "${ref}"`, () => image(ref).remove(), { fine: [404] });
    },
  };

  async function pull(ref: string, options: object): Promise<AsyncIterable<Buffer>> {
    return toChunks(await docker.createImage({ ...options, fromImage: fullImageReference(ref) }));
  }
}

/** Podman 4 gives a build with `none` the network of the host; only its own option takes the network away. */
function networkOfNone({ podman, version }: HostFacts): string {
  return podman && version.startsWith('4.') ? 'NetworkDisabled' : 'none';
}

/** dockerode hands over responses as the older type of stream, which has no iterator in the types alone. */
function toChunks(stream: NodeJS.ReadableStream): AsyncIterable<Buffer> {
  return stream as AsyncIterable<Buffer>;
}

function toAuthConfig({ username, password, serveraddress }: RegistryAuth): AuthConfig {
  return { username, password, serveraddress };
}
