import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';

/** The tar of a build: names in the context and the files they come from. A failing file breaks the stream. */
export function packContext(files: Readonly<Record<string, string>>): Readable {
  const context = pack();
  void addFiles(context, files).catch((error: unknown) => {
    context.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return Readable.from(context);
}

async function addFiles(context: Pack, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, path] of Object.entries(files)) {
    const { size } = await stat(path);
    await pipeline(createReadStream(path), context.entry({ name, size }));
  }
  context.finalize();
}
