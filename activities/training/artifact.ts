import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { readLock } from '../shared/lock.js';
import { readAtMost } from '../shared/read-at-most.js';
import { isSystemError } from '../shared/system-errors.js';
import { unpackFile } from '../shared/unpack.js';
import { withScratchFolder } from './workspace.js';

/** In the order in which existing packagers look for them (guide serving, section 3). */
export const PROJECT_FILES = ['platform.model', 'platform.project', 'odahuflow.project', 'odahuflow.model'].flatMap(
  (name) => [`${name}.yaml`, `${name}.yml`],
);

const MAX_PROJECT_BYTES = 2 ** 20;

const text = z.union([z.string(), z.number()]).transform(String);
const ProjectFile = z.object({
  model: z.object({ name: text, version: text, workDir: z.string(), entrypoint: z.string().default('entrypoint') }),
  binaries: z.object({ python: text }).optional().catch(undefined),
});

/** An unpacked GPPI artifact: what a packager must know of it. */
export interface Artifact {
  /** Where it was unpacked. */
  folder: string;
  name: string;
  version: string;
  /** Folder of the model, relative to `folder`. */
  workDir: string;
  /** Python module that implements `init`, `predict_on_matrix` and `info`. */
  entrypoint: string;
  /** Pinned packages, one `name==version` per line, with the hashes that the training knew. */
  lock: string[];
  /** The Python that it was trained with: `3.11`; absent when the artifact does not say it. */
  python?: string;
  sha256: string;
}

/**
 * Downloads and unpacks an artifact.
 * @throws run_failed: ArtifactNotFound when there is none of that name, PackagerFailed when it is not in GPPI form
 */
export async function openArtifact(store: ObjectStore, artifactName: string, folder: string): Promise<Artifact> {
  const sha256 = await fetchArtifact(store, artifactName, folder);
  const { model, binaries } = await readProject(folder);
  await requireFolder(folder, model.workDir);
  const lock = await readLock(join(folder, 'lock.txt'), 'lock.txt of the artifact', 'PackagerFailed');
  const [python] = /^3\.\d{1,2}(?=\.|$)/.exec(binaries?.python ?? '') ?? [];
  return { ...model, folder, lock, python, sha256 };
}

/**
 * Downloads and unpacks an artifact, whatever its form.
 * @returns its SHA-256 (hex). @throws as `openArtifact`
 */
export async function fetchArtifact(store: ObjectStore, artifactName: string, folder: string): Promise<string> {
  const facts = await store.head(artifactName);
  if (!facts) throw runFailed({ reason: 'ArtifactNotFound', message: `there is no artifact "${artifactName}"` });
  return withScratchFolder(async (scratch) => {
    const file = join(scratch, 'artifact');
    const found = await download(store, artifactName, file);
    if (facts.metadata.sha256 !== undefined && facts.metadata.sha256 !== found)
      throw invalid(`artifact "${artifactName}" is not the one that was stored under its name`);
    await mkdir(folder, { recursive: true });
    await unpackFile(file, folder).catch((err: unknown) => {
      throw isSystemError(err) ? err : invalid(err instanceof Error ? err.message : String(err), err);
    });
    return found;
  });
}

/** @returns SHA-256 (hex) of what arrived */
async function download(store: ObjectStore, artifactName: string, file: string): Promise<string> {
  const hash = createHash('sha256');
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(await store.open(artifactName), measure, createWriteStream(file));
  return hash.digest('hex');
}

async function readProject(folder: string): Promise<z.infer<typeof ProjectFile>> {
  const found = await readDescription(folder);
  if (found === undefined) throw invalid('the artifact holds no platform.model.yaml');
  const parsed = ProjectFile.safeParse(found.content);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw invalid(`${found.name} of the artifact lacks ${fields}`);
}

const optional = text.optional().catch(undefined);
/** Flat, or as the toolchain for Python models writes it. */
const NamedModel = z.object({ name: optional, version: optional });
const Named = NamedModel.extend({ model: NamedModel.optional().catch(undefined) }).catch({});

/** The name and version of the model in an artifact of any form, with the defaults of the specification. */
export async function readModelName(folder: string): Promise<{ name: string; version: string }> {
  const { name, version, model } = Named.parse((await readDescription(folder))?.content);
  return { name: name ?? model?.name ?? 'model', version: version ?? model?.version ?? '1' };
}

/** The file in which an artifact describes itself; `undefined` when it has none. */
async function readDescription(folder: string): Promise<{ name: string; content: unknown } | undefined> {
  for (const name of PROJECT_FILES) {
    const source = await readText(folder, name, MAX_PROJECT_BYTES);
    if (source !== undefined) return { name, content: parseYaml(name, source) };
  }
  return undefined;
}

/** The text of a file; `undefined` when the artifact has none of that name. */
export async function readText(folder: string, name: string, maxBytes: number): Promise<string | undefined> {
  const isThere = await stat(join(folder, name)).then(
    (facts) => facts.isFile(),
    () => false,
  );
  if (!isThere) return undefined;
  const source = await readAtMost(createReadStream(join(folder, name)), maxBytes);
  if (source === undefined) throw invalid(`${name} of the artifact is longer than ${maxBytes} bytes`);
  return source;
}

function parseYaml(name: string, source: string): unknown {
  try {
    return parse(source, { logLevel: 'error' }); // no warnings of a user's text in our log
  } catch (err) {
    throw invalid(`${name} of the artifact is no YAML`, err);
  }
}

async function requireFolder(folder: string, workDir: string): Promise<void> {
  const inside = !workDir.startsWith('/') && !workDir.split('/').includes('..');
  const found =
    inside &&
    (await stat(join(folder, workDir)).then(
      (facts) => facts.isDirectory(),
      () => false,
    ));
  if (!found) throw invalid(`the artifact has no folder "${workDir}"`);
}

function invalid(message: string, cause?: unknown): SlipwayError {
  return runFailed({ reason: 'PackagerFailed', message }, cause);
}
