import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDriver, LogSink } from '../../platform/engines/driver.js';
import { packFolder } from '../shared/archive.js';
import type { BaseImage } from './base-image.js';
import type { PackageDifference } from './packages.js';
import { withScratchFolder } from '../training/workspace.js';

interface ServingEnvironment {
  base: BaseImage;
  difference: PackageDifference;
  /** Image that holds the installer `uv`; nothing of it stays in the result. */
  builderImage: string;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  log: LogSink;
  signal: AbortSignal;
}

/**
 * The image below every model with this base and lock: base, `/opt/env` with what differs, `/opt/server` with the model
 * server. Built once; a changed model pushes none of it again.
 */
export async function ensureServingEnvironment(engine: EngineDriver, environment: ServingEnvironment): Promise<string> {
  const { base, difference, server } = environment;
  const key = sha256([base.id, ...difference.install, await folderDigest(server), dockerfile(environment)].join('\n'));
  const tag = `slipway.local/serving:${key.slice(0, 32)}`;
  if (await engine.inspectImage(tag)) return tag;
  await withScratchFolder(async (scratch) => {
    const context = join(scratch, 'context');
    await mkdir(context);
    await writeFile(join(context, 'lock.txt'), `${difference.install.join('\n')}\n`);
    await cp(server, join(context, 'slipway_server'), {
      recursive: true,
      filter: (path) => !path.includes('__pycache__'),
    });
    await writeFile(join(context, 'Dockerfile'), dockerfile(environment));
    const file = join(scratch, 'context.tar.gz');
    await packFolder(context, file);
    const { log, signal } = environment;
    await engine.build(createReadStream(file), { tag, network: 'host', signal }, log);
  });
  return tag;
}

/**
 * The server's own packages come last on `sys.path` (a .pth file appends), so that the model's versions win.
 *
 * All importable modules are compiled: a container cannot keep bytecode, so each start would compile them again, which
 * takes longer than all else of it. Unchecked, because engines may change the times of files. Tests are not imported,
 * and what does not compile (a template, an option that an old Python lacks) serves as it is.
 */
function dockerfile({ base, builderImage, difference }: ServingEnvironment): string {
  const install =
    difference.install.length > 0
      ? '/tmp/uv pip install --python /opt/env/bin/python --no-deps --no-cache -r /tmp/lock.txt'
      : 'true';
  return [
    `FROM ${builderImage} AS tools`,
    `FROM ${base.image} AS environment`,
    'USER 0',
    'COPY --from=tools /usr/local/bin/uv /tmp/uv',
    'COPY lock.txt /tmp/lock.txt',
    'COPY slipway_server/requirements.txt /tmp/server.txt',
    'RUN python3 -m venv --without-pip --system-site-packages /opt/env' +
      ` && ${install}` +
      ' && /tmp/uv pip install --python /opt/env/bin/python --no-cache --target /opt/server/lib -r /tmp/server.txt' +
      ' && printf "/opt/server\\n/opt/server/lib\\n" > "$(/opt/env/bin/python -c \'import sysconfig; print(sysconfig.get_path("purelib"))\')/slipway_server.pth"',
    `FROM ${base.image}`,
    'USER 0',
    'COPY --from=environment /opt/env /opt/env',
    'COPY --from=environment /opt/server/lib /opt/server/lib',
    'COPY slipway_server /opt/server/slipway_server',
    "RUN /opt/env/bin/python -m compileall -qq -j 0 -x '/tests?/' --invalidation-mode unchecked-hash" +
      " $(/opt/env/bin/python -c 'import sys; print(*sys.path[1:])') || true",
    'ENV PATH=/opt/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1',
    'WORKDIR /app',
    'USER 10001:0',
    'CMD ["python", "-m", "slipway_server"]',
    '',
  ].join('\n');
}

async function folderDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(py|txt)$/.test(name)).sort();
  for (const name of names) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
