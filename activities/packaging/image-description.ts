import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { packagesFor, packagesOfLock } from '../../lifecycle/attestation/lock-packages.js';
import type { ImageOrigin } from '../../lifecycle/attestation/provenance.js';
import type { ImageContents, ModelFile } from '../../lifecycle/attestation/sbom.js';
import type { LineageStep } from '../../lifecycle/kinds/lineage.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { sha256 } from '../shared/python-installer.js';
import type { Artifact } from '../training/artifact.js';
import type { Packages } from './packages.js';

/** The facts that the statements about an image state. */
export interface ImageDescription {
  origin: ImageOrigin;
  contents: Omit<ImageContents, 'image' | 'digest'>;
}

/** The facts about an image that its packager knows. */
export interface ImageParts {
  /** The packager of the platform, or `registered`. */
  packager: string;
  /** Those that the packager knows. */
  args: Readonly<Record<string, unknown>>;
  artifact: Pick<Artifact, 'name' | 'version' | 'sha256' | 'folder' | 'lock'>;
  base: {
    /** As it was named. */
    reference: string;
    /** `sha256:...` of its manifest. */
    digest: string;
    /** `3.11`, and its packages; absent where they are not known. */
    python?: string;
    packages?: Packages;
  };
  /** Lines of the lock that were installed on top of the base. */
  installed: readonly string[];
  /** Folder of the Python package `slipway_server`, where the image has it. */
  server?: string;
}

interface Described {
  packaging: Packaging;
  parts: ImageParts;
  /** Inputs and products of every training. */
  steps: readonly LineageStep[];
}

/** Gathers everything that is in an image and that decided it. */
export async function describeImage({ packaging, parts, steps }: Described): Promise<ImageDescription> {
  const { packager, args, artifact, base, installed, server } = parts;
  const { name, version } = artifact;
  const { artifactName, integrationName } = packaging.spec;
  const baseImage = { image: base.reference, digest: base.digest };
  const lock = server &&
    base.python && { python: base.python, text: await readFile(join(server, 'requirements.lock'), 'utf8') };
  return {
    origin: {
      ...{ packaging: packaging.id, packager, integration: integrationName, arguments: args, model: { name, version } },
      ...{ artifact: { name: artifactName, sha256: artifact.sha256 }, base: baseImage },
      lock: { sha256: sha256(artifact.lock.join('\n')) },
      ...trainingOf(steps, { digest: artifact.sha256, name: artifactName }),
    },
    contents: {
      model: { name, version, artifactSha256: artifact.sha256, files: await modelFiles(artifact.folder) },
      base: baseImage,
      packages: {
        base: Object.entries(base.packages ?? {}).map(([name, version]) => ({ name, version })),
        environment: packagesOfLock(installed),
        server: lock ? packagesFor(lock.python, lock.text) : [],
      },
    },
  };
}

/** The training that made an artifact: the first one of its digest, so that a repeat finds the same. */
function trainingOf(
  steps: readonly LineageStep[],
  artifact: { digest: string; name: string },
): Pick<ImageOrigin, 'training'> {
  const makers = steps.filter(
    ({ kind, makes }) => kind === 'training' && makes.some(({ digest }) => digest === artifact.digest),
  );
  const named = makers.filter(({ makes }) => makes.some(({ name }) => name === artifact.name));
  const [training] = (named.length > 0 ? named : makers).sort((one, other) => one.at.localeCompare(other.at));
  if (training === undefined) return {};
  const { id, uses } = training;
  const commit = uses.find(({ kind }) => kind === 'commit');
  const data = uses.flatMap(({ kind, digest, facts = {} }) =>
    kind === 'data' && digest !== undefined
      ? [{ localPath: textOf(facts.localPath) ?? '', connection: textOf(facts.connection), sha256: digest }]
      : [],
  );
  const connection = textOf(commit?.facts?.connection);
  return { training: { id, ...(commit?.digest && { commit: { connection, commit: commit.digest } }), data } };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The regular files of a folder, in the order of their paths. */
async function modelFiles(folder: string): Promise<ModelFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const files: ModelFile[] = [];
  for (const path of paths.sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    files.push({ path: relative(folder, path), sha256: hash.digest('hex') });
  }
  return files;
}
