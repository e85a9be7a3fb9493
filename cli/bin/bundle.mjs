import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'dist', 'cli');
const ENTRY = join(FOLDER, 'main.mjs');
/** A command that was started before may still load the files of the former state. */
const KEPT_MS = 3_600_000;
/** The sources of the bundle with their sizes and times. It is not published, where sources do not change. */
const INPUTS = join(FOLDER, 'inputs.json');

/** Returns the path of the compiled command line, and compiles it first when a source changed. */
export async function compiled() {
  if (!isFresh()) await compile();
  return ENTRY;
}

function isFresh() {
  const inputs = readOrNothing(INPUTS);
  if (inputs === undefined) return readOrNothing(ENTRY) !== undefined;
  return JSON.parse(inputs).every(([path, size, time]) => {
    const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
    return found?.size === size && found.mtimeMs === time;
  });
}

function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Compiles the command line and all that it imports: one file for each part that some commands need alone. */
async function compile() {
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    entryPoints: [join(ROOT, 'cli', 'main.ts')],
    ...{ absWorkingDir: ROOT, outdir: FOLDER, outExtension: { '.js': '.mjs' } },
    ...{
      bundle: true,
      splitting: true,
      write: false,
      metafile: true,
      minify: true,
      lineLimit: 160,
      legalComments: 'linked',
    },
    ...{ platform: 'node', target: 'node20', format: 'esm', logLevel: 'warning', plugins: [withoutLocales] },
    // Sources find files by their own place; packages in the form of CommonJS need a `require`.
    define: { 'import.meta.url': 'urlOfSource' },
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url); const urlOfSource = new URL('../../cli/main.ts', import.meta.url).href;`,
    },
  });
  mkdirSync(FOLDER, { recursive: true });
  // The entry comes last, as it names the other files: a command that starts meanwhile runs the former ones.
  for (const { path, contents } of outputFiles.sort((one) => (one.path === ENTRY ? 1 : -1))) replace(path, contents);
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
  const facts = [...inputs, 'package-lock.json'].map((path) => {
    const { size, mtimeMs } = statSync(join(ROOT, path));
    return [relative(ROOT, join(ROOT, path)).split(sep).join('/'), size, mtimeMs];
  });
  replace(INPUTS, JSON.stringify(facts));
  removeOthers([INPUTS, ...outputFiles.map(({ path }) => path)]);
}

function removeOthers(kept) {
  for (const path of readdirSync(FOLDER).map((name) => join(FOLDER, name))) {
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (!kept.includes(path) && age > KEPT_MS) rmSync(path, { force: true });
  }
}

function replace(path, contents) {
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}

/** Messages of zod in fifty languages are a third of its code; commands print their own. */
const withoutLocales = {
  name: 'without-locales',
  setup: (bundler) =>
    bundler.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' })),
};

// `npm run cli:build`, for the package: nothing of a former state goes into it.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(FOLDER, { recursive: true, force: true });
  await compile();
}
