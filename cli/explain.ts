import { Argument, Command } from 'commander';
import type { CliContext } from './context.js';

/** `slipway explain`: what the fields of a kind mean. */
export function explainCommand({ terminal }: CliContext): Command {
  return new Command('explain')
    .description('explain the fields of a kind')
    .argument('<kind[.field]>', 'kind, or a field of its spec, such as training.data.connection')
    .addHelpText('after', '\nExamples:\n  slipway explain training\n  slipway explain pipeline.gates.approval')
    .action(async (path: string) => {
      const { explainField } = await import('./manifest/schema.js');
      terminal.out(explainField(path));
    });
}

/** `slipway schema`: the JSON Schema that editors check manifests by. */
export function schemaCommand({ terminal }: CliContext): Command {
  return new Command('schema')
    .description('print the JSON Schema of manifests, for editors')
    .addArgument(new Argument('[kind]', 'one kind only'))
    .addHelpText('after', EXAMPLE)
    .action(async (kind?: string) => {
      const { manifestSchema } = await import('./manifest/schema.js');
      terminal.out(JSON.stringify(manifestSchema(kind), null, 2));
    });
}

const EXAMPLE = `
Example, with the first line of a manifest for editors that know the YAML language server:
  slipway schema > slipway.schema.json
  # yaml-language-server: $schema=slipway.schema.json`;
