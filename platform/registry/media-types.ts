/** Types of the OCI image specification 1.1, and those of Docker that mean the same. */
export const OCI = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

export const DOCKER = {
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

/** Names a blob or a manifest. */
export interface Descriptor {
  mediaType: string;
  /** `sha256:...` */
  digest: string;
  size: number;
  annotations?: Readonly<Record<string, string>>;
  artifactType?: string;
  platform?: { os: string; architecture: string; variant?: string };
}

/** A manifest as its registry has it. */
export interface StoredManifest {
  mediaType: string;
  /** SHA-256 of the bytes: `sha256:...` */
  digest: string;
  bytes: Buffer;
}
