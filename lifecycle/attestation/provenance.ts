import { z } from 'zod';

/** Names the form of `externalParameters` and `resolvedDependencies` below, and the packager. */
const buildType = (packager: string): string => `https://slipway.dev/build/${packager}/v1`;
const BUILD_TYPE = /^https:\/\/slipway\.dev\/build\/[a-z-]+\/v1$/;

/** An input by its digest (in-toto ResourceDescriptor). */
const Input = z.object({
  name: z.string(),
  digest: z.record(z.string(), z.string()),
  uri: z.string().optional(),
});
export type Input = z.infer<typeof Input>;

/** The origin of an image (SLSA provenance v1), as far as this platform writes and reads it. */
export const Provenance = z.object({
  buildDefinition: z.object({
    buildType: z.string().regex(BUILD_TYPE),
    externalParameters: z.object({
      packaging: z.string(),
      integration: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      model: z.object({ name: z.string(), version: z.string() }),
      training: z.string().optional(),
    }),
    resolvedDependencies: z.array(Input),
  }),
  runDetails: z.object({
    builder: z.object({ id: z.string(), version: z.record(z.string(), z.string()).optional() }),
  }),
});
export type Provenance = z.infer<typeof Provenance>;

/** Everything that decided what is in an image. No secrets, no paths, no names of users. */
export interface ImageOrigin {
  packaging: string;
  /** Absent where an earlier release described the image: `container-rest`. */
  packager?: string;
  integration: string;
  /** Those that the packager knows. */
  arguments: Readonly<Record<string, unknown>>;
  model: { name: string; version: string };
  /** SHA-256 in hex, where nothing else is said. */
  artifact: { name: string; sha256: string };
  /** Lines of the artifact's lock. */
  lock: { sha256: string };
  /** `digest` as `sha256:...`. */
  base: { image: string; digest: string };
  /** Unknown for an artifact that no training of this installation made. */
  training?: { id: string; commit?: Commit; data: readonly DataInput[] };
}
/** The installation that makes images: its address as clients see it, and its release. */
export interface Builder {
  id: string;
  version: string;
}
interface Commit {
  /** Id of the connection: its address may hold a name of a host or a user. */
  connection?: string;
  commit: string;
}
interface DataInput {
  localPath: string;
  connection?: string;
  sha256: string;
}

const connectionUri = (id: string | undefined) => (id === undefined ? {} : { uri: `slipway:connection/${id}` });

/**
 * Provenance of an image. Nothing in it depends on when or by which process the image was made: the same inputs give the
 * same text.
 */
export function imageProvenance(origin: ImageOrigin, builder: Builder): Provenance {
  const { packaging, packager = 'container-rest', integration, model, training } = origin;
  return {
    buildDefinition: {
      buildType: buildType(packager),
      externalParameters: {
        ...{ packaging, integration, arguments: { ...origin.arguments }, model },
        ...(training && { training: training.id }),
      },
      resolvedDependencies: inputsOf(origin),
    },
    runDetails: { builder: { id: builder.id, version: { slipway: builder.version } } },
  };
}

function inputsOf({ artifact, lock, base, training }: ImageOrigin): Input[] {
  const { commit, data = [] } = training ?? {};
  return [
    ...(commit ? [{ name: 'commit', digest: { gitCommit: commit.commit }, ...connectionUri(commit.connection) }] : []),
    ...data.map(({ localPath, connection, sha256 }) => ({
      ...{ name: `data/${localPath}`, digest: { sha256 } },
      ...connectionUri(connection),
    })),
    { name: 'artifact', digest: { sha256: artifact.sha256 }, uri: `slipway:artifact/${artifact.name}` },
    { name: 'lock', digest: { sha256: lock.sha256 } },
    { name: 'base', digest: { sha256: base.digest.replace(/^sha256:/, '') }, uri: `oci:${base.image}` },
  ];
}
