import { Command, Option } from 'commander';
import type { components } from '../client/index.js';
import type { CliContext } from './context.js';
import { connect } from './login/session.js';
import { toData } from './output/format.js';
import { toTable } from './output/table.js';

type Call = components['schemas']['InferenceRecord']['calls'][number];

/** `slipway record`: what was recorded of a call. */
export function recordCommand(context: CliContext): Command {
  return new Command('record')
    .description('show what was recorded of a call, by its request id (for admins and data scientists)')
    .argument('<request-id>', 'the header request-id of the answer')
    .addOption(new Option('-o, --output <format>').choices(['text', 'json', 'yaml']).default('text'))
    .addHelpText('after', '\nExample:\n  slipway record 01979c1e-6f7a-7d6e-b2b7-3c1f0f6f2c11')
    .action(async (id: string, { output }: { output: string }, command: Command) => {
      const { terminal, signal } = context;
      const { http } = await connect(context, command);
      const { data } = await http.GET('/api/v1/record/{id}', { params: { path: { id } }, signal });
      if (data === undefined) return; // a reply without one is an error, which is thrown
      if (output !== 'text') return terminal.out(await toData(data, output));
      for (const call of data.calls) terminal.out(`${terminal.paint('bold', `call at ${call.at}`)}\n${factsOf(call)}`);
      for (const { time, payload } of data.feedback) {
        terminal.out(`${terminal.paint('bold', `feedback at ${String(time)}`)}\n  ${JSON.stringify(payload)}`);
      }
      if (data.truncated) terminal.note('the id has more calls and feedback; these are the newest');
    });
}

function factsOf({ request, response, detail }: Call): string {
  const facts: [string, unknown][] = [
    ['deployment', detail?.deployment],
    ['model', request && `${String(request.model_name)} ${String(request.model_version)}`],
    ['address', request && `${String(request.request_http_method)} ${String(request.request_uri)}`],
    ['status', request?.response_status],
    ['took', detail?.latency_ms === undefined ? undefined : `${Number(detail.latency_ms)} ms`],
    ['request', request === undefined ? 'no longer there' : request.request_content],
    ['response', response === undefined ? 'no longer there' : response.response_content],
  ];
  const known = facts.filter(([, value]) => value !== undefined);
  return toTable(known.map(([name, value]) => [`  ${name}`, String(value)]));
}
