import { buffer } from 'node:stream/consumers';
import type { EngineDriver, ImageFacts, LayerSpec } from '../driver.js';
import { fullImageReference, parseImageReference } from '../image-reference.js';
import type { EngineContext } from './context.js';
import { call } from './errors.js';
import { removeContainer } from './remove.js';
import { requestStream } from './request.js';

/** Layers are put into a container that never starts, which is then committed: no engine runs anything for that. */
export function createLayers(
  context: EngineContext,
  { inspectImage }: Pick<EngineDriver, 'inspectImage'>,
): Pick<EngineDriver, 'addLayer'> {
  const { docker, host } = context;

  return {
    async addLayer(spec: LayerSpec): Promise<ImageFacts> {
      const { name, image, tag, files, env, signal } = spec;
      const doing = `add a layer to image "${image}"`;
      const reason = 'PackagerFailed';
      await removeContainer(context, name); // of an attempt that was cut off
      try {
        const config = {
          ...{
            name,
            Image: fullImageReference(image),
            Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
          },
          ...{ User: spec.user, WorkingDir: spec.workingDir, Cmd: spec.command && [...spec.command] },
          HostConfig: { NetworkMode: 'none' },
        };
        await call(doing, () => docker.createContainer(config), { reason, signal });
        const options = { path: '/', ...(signal && { abortSignal: signal }) };
        await call(doing, () => docker.getContainer(name).putArchive(files, options), { reason, signal });
        const { podman } = await host();
        await call(doing, () => (podman ? commitToOci(context, spec) : commit(context, spec)), { reason, signal });
      } finally {
        await removeContainer(context, name);
      }
      const facts = await inspectImage(tag);
      if (!facts) throw new Error(`engine does not have image "${tag}"`);
      return facts;
    },
  };
}

async function commit({ docker }: EngineContext, { name, tag }: LayerSpec): Promise<void> {
  await docker.getContainer(name).commit(repositoryOf(tag));
}

/**
 * Podman keeps the ONBUILD instructions of the image below when it commits in Docker's format, and the next build would
 * run them. OCI's format has none. Docker never keeps them.
 */
async function commitToOci({ docker }: EngineContext, { name, tag, signal }: LayerSpec): Promise<void> {
  const query = { container: name, ...repositoryOf(tag), format: 'oci', pause: false };
  const answer = await requestStream(docker, {
    ...{ method: 'POST', path: '/v4.0.0/libpod/commit', query, body: {}, signal },
  });
  await buffer(answer);
}

function repositoryOf(tag: string): { repo: string; tag: string } {
  const reference = parseImageReference(tag);
  return { repo: reference.name, tag: reference.tag ?? 'latest' };
}
