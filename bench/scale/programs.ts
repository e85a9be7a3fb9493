import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import type { Program, ProgramOf } from './containers.js';

export const TOOLCHAIN_IMAGE = 'slipway.local/bench-toolchain:1';
/** The package that each environment asks for; the toolchain has it. */
const PACKAGE = { name: 'bench', version: '1.0' };
const UV = '/usr/local/bin/uv';
/** The beginning of the names of images whose containers the double's own model server answers for. */
export const STUB_IMAGE = 'slipway.local/stub-';

/** As long as the description of a model with a few columns. */
export const MODEL_INFO = JSON.stringify({
  ...{ openapi: '3.0.3', info: { title: 'bench', version: '1' }, paths: {} },
  components: { schemas: { Request: { description: 'x'.repeat(8_000) } } },
});

const OUTPUT = '/workspace/output';
const listing = JSON.stringify({ python: '3.11', packages: { [PACKAGE.name]: PACKAGE.version } });

/** The programs of a training, by the command of their container; any other container is a model server. */
export function createPrograms({ resolveMs, trainMs }: { resolveMs: number; trainMs: number }): ProgramOf {
  return ({ name, config }): Program => {
    const command = [config.Cmd ?? []].flat().join(' ');
    if (name.startsWith('slipway-egress-check-')) return { lastsMs: 100, lines: ['done'], outputs: {} };
    if (command.includes(' environment '))
      return {
        ...{ lastsMs: resolveMs, lines: [] },
        outputs: { [OUTPUT]: tarOf({ 'output/lock.txt': `${PACKAGE.name}==${PACKAGE.version}\n` }) },
      };
    if (command.includes(' train '))
      return {
        ...{ lastsMs: trainMs, lines: ['trained'] },
        outputs: {
          [`${OUTPUT}/artifact`]: tarOf({ 'artifact/model.txt': name }),
          [`${OUTPUT}/.slipway`]: tarOf({ '.slipway/outcome.json': JSON.stringify({ runId: name }) }),
        },
      };
    if (command.includes(' check ')) return { lastsMs: 100, lines: [], outputs: {} };
    if (command.startsWith('python3 -c')) return { lastsMs: 100, lines: [listing], outputs: {} };
    if (command === 'true') return { lines: [], outputs: { [UV]: tarOf({ uv: '' }) } };
    return { lines: [], outputs: {} };
  };
}

function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const pack = tar.pack();
  for (const folder of new Set(Object.keys(files).map((path) => path.slice(0, path.lastIndexOf('/') + 1))))
    pack.entry({ name: folder, type: 'directory' });
  for (const [path, content] of Object.entries(files)) pack.entry({ name: path }, content);
  pack.finalize();
  return buffer(pack);
}
