import type { EngineDriver } from '../../platform/engines/driver.js';
import { containerName, type RunKind, type RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { Base } from '../shared/base.js';
import { removeUnlessAborted } from '../shared/job.js';
import type { Packages } from './packages.js';

/** The Python of an image, and its packages. */
export interface ImagePython {
  /** `3.11` */
  python: string;
  packages: Packages;
}

/** A base image with its Python and its packages. */
export type BaseImage = Base & ImagePython;

const LIST_PACKAGES = `
import json, re, sys
try:
    from importlib.metadata import distributions
    found = {d.metadata["Name"]: d.version for d in distributions() if d.metadata["Name"]}
except ImportError:
    import pkg_resources
    found = {d.project_name: d.version for d in pkg_resources.working_set}
names = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found.items()}
print(json.dumps({"python": "%d.%d" % sys.version_info[:2], "packages": names}, indent=0))
`;

interface Inspection {
  kind: RunKind;
  ref: RunRef;
  /** As it was named. */
  image: string;
  /** Digest of its manifest, or the engine's id of it: what never changes. */
  digest: string;
  /** Makes it present in the engine. @returns its name there */
  ensure: () => Promise<string>;
  signal: AbortSignal;
  limitMs?: number;
}

/** An image of something else than Python may run on for ever. */
const LIMIT_MS = 120_000;
const MAX_LENGTH = 4 * 2 ** 20;

const packagerFailed = (message: string) => runFailed({ reason: 'PackagerFailed', message });

/** Lists the Python packages of an image, in a container without network; kept by its digest, which never changes. */
export async function inspectBase(
  engine: EngineDriver,
  objects: ObjectStore,
  inspection: Inspection,
): Promise<ImagePython> {
  const key = `bases/${inspection.digest.replace(':', '-')}.json`;
  const known = (await objects.head(key)) ? await objects.read(key) : undefined;
  const listed = known?.toString('utf8') ?? (await listPackages(engine, inspection));
  if (known === undefined) await objects.put(key, listed, { ifAbsent: true, contentType: 'application/json' });
  return JSON.parse(listed) as ImagePython;
}

async function listPackages(
  engine: EngineDriver,
  { kind, ref, image, ensure, signal, limitMs = LIMIT_MS }: Inspection,
): Promise<string> {
  const { handle } = await engine.create({
    name: containerName(kind, ref, 'base'),
    image: await ensure(),
    command: ['python3', '-c', LIST_PACKAGES],
    env: {},
    labels: { kind, id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'base' },
    network: 'none',
    limits: { cpus: 1, memoryBytes: 512 * 2 ** 20 },
  });
  try {
    await engine.start(handle);
    let lines: string[] = [];
    let size = 0;
    const limit = AbortSignal.timeout(limitMs);
    const until = AbortSignal.any([signal, limit]);
    try {
      for await (const line of engine.logs(handle, { follow: true, signal: until })) {
        // Only the listing is kept, which is printed last; of other output, the last line.
        if (!lines[0]?.startsWith('{') || line.text.startsWith('{')) lines = [];
        size += line.text.length;
        if (size > MAX_LENGTH)
          throw packagerFailed(`the base image "${image}" prints more than ${MAX_LENGTH} characters`);
        lines.push(line.text);
      }
    } catch (err) {
      if (!limit.aborted || signal.aborted) throw err;
      // A repeat would find the same.
      throw packagerFailed(`the base image "${image}" did not list its packages within ${limitMs / 1_000} s`);
    }
    signal.throwIfAborted();
    const last = lines.at(-1) ?? '';
    if (lines[0]?.startsWith('{') && last.endsWith('}')) return lines.join('\n');
    throw packagerFailed(`the base image "${image}" does not run Python: ${last}`);
  } finally {
    await removeUnlessAborted(engine, handle, signal);
  }
}
