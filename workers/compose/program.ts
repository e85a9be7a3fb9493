import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Below the project, so that Node.js finds the packages that a bundle imports. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'slipway');
const WEEK_MS = 7 * 86_400_000;
const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a TypeScript program that is started as a process of its own. Node.js starts a bundle in a third of the CPU
 * time that it takes to compile and load the modules one by one.
 * @returns the path of the bundle
 */
export async function bundleProgram(program: URL): Promise<string> {
  const path = fileURLToPath(program);
  const known = bundles.get(path);
  // Removed since, when newer programs were bundled while this process ran.
  const isGone = known !== undefined && !(await known.then(existsSync, () => false));
  if (isGone && bundles.get(path) === known) bundles.delete(path);
  const bundle = bundles.get(path) ?? writeBundle(path);
  bundles.set(path, bundle);
  return bundle;
}

async function writeBundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [path], bundle: true, write: false, plugins: [ownUrls] },
    ...{ packages: 'external', platform: 'node', target: 'node20', format: 'esm', logLevel: 'warning' },
    ...{ sourcemap: 'inline', sourcesContent: false, outfile: join(FOLDER, 'program.mjs') },
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`${path} has no bundle`);
  // Named after the content, so that workers that bundle the same program do not write over each other.
  const name = basename(path, '.ts');
  const bundle = join(FOLDER, `${name}-${output.hash.replace(/\W/g, '_')}.mjs`);
  if (existsSync(bundle)) {
    const now = new Date();
    await utimes(bundle, now, now);
    return bundle;
  }
  await mkdir(FOLDER, { recursive: true });
  await removeOldBundles(name);
  const unfinished = `${bundle}.${process.pid}`;
  await writeFile(unfinished, output.contents);
  await rename(unfinished, bundle);
  return bundle;
}

/** Removes the bundles of a program that no process was started from for a week. */
async function removeOldBundles(name: string): Promise<void> {
  const bundles = (await readdir(FOLDER)).filter((file) => file.startsWith(`${name}-`));
  for (const file of bundles.map((each) => join(FOLDER, each))) {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity })); // removed by another process
    if (Date.now() - mtimeMs > WEEK_MS) await rm(file, { force: true });
  }
}

/** Modules read the files beside them, so `import.meta` remains that of the source. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};
