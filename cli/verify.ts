import { Command } from 'commander';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';
import type { components } from '../client/openapi.js';

type Verification = components['schemas']['ImageVerification'];

/** `slipway verify`: whether an image is from this installation, and what it was made of. */
export function verifyCommand(context: CliContext): Command {
  const { terminal, signal } = context;
  return new Command('verify')
    .description('verify who made an image, of which commit, data and packages')
    .argument('<image>', 'name with tag or digest, in a registry that a connection names')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (image: string, { json }: { json?: boolean }, command: Command) => {
      const slipway = await connect(context, command);
      const { data } = await slipway.http.GET('/api/v1/image/verification', { params: { query: { image } }, signal });
      if (data === undefined) return; // a reply without one is an error, which is thrown
      terminal.out(json ? toJson(data) : toTable(rowsOf(data)));
      if (data.verified) return;
      terminal.note(`Error: image "${image}" is not verified: ${data.why}`);
      throw new OperationFailed();
    });
}

const EXAMPLES = `
Examples:
  slipway verify registry.example/models/wine:3
  slipway verify registry.example/models/wine@sha256:3f9c... --json

The exit code is 1 when no valid statement says where the image is from.`;

function rowsOf(found: Verification): string[][] {
  const { image, digest } = found;
  const name = [
    ['image', image],
    ['digest', digest],
  ];
  if (!found.verified) return name;
  const { builder, key, model, packaging, training, commit, data, artifact, base, packages } = found;
  const rows: [string, string | undefined][] = [
    ['made by', `${builder} (key ${key})`],
    ['model', `${model.name} ${model.version}`],
    ['packaging', packaging],
    ['training', training],
    ['commit', commit],
    ...data.map(({ name, sha256 }): [string, string] => ['data', `${name} sha256:${sha256}`]),
    ['artifact', artifact],
    ['base', base && `${base.image} ${base.digest}`],
    ['packages', packages === undefined ? 'no signed bill of materials' : String(packages)],
  ];
  return [...name, ...rows.flatMap(([title, value]) => (value === undefined ? [] : [[title, value]]))];
}
