interface Blob {
  digest: string;
  size: number;
}

const ACCEPT = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';

/** Every blob of a pushed image, by the registry's own manifest. */
export async function readBlobs(image: string): Promise<Blob[]> {
  const [, host, repository, tag] = /^([^/]+)\/(.+):([^:]+)$/.exec(image) ?? [];
  const reply = await fetch(`http://${host}/v2/${repository}/manifests/${tag}`, { headers: { accept: ACCEPT } });
  if (!reply.ok) throw new Error(`no manifest of ${image}: ${reply.status}`);
  const manifest = (await reply.json()) as { config: Blob; layers: Blob[] };
  return [manifest.config, ...manifest.layers];
}
