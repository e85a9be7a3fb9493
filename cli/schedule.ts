import { Command, InvalidArgumentError, Option } from 'commander';
import { outcomeOf, type Entity, type Slipway } from '../client/index.js';
import type { CliContext } from './context.js';
import { nameOf } from './kinds.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';
import { clock, duration } from './output/time.js';

type Schedule = Awaited<ReturnType<Slipway['schedules']['get']>>;

/** `slipway schedule`: when a pipeline runs by itself. */
export function scheduleCommand(context: CliContext): Command {
  return new Command('schedule')
    .description('pause, resume, trigger or show the schedule of a pipeline')
    .addCommand(nextCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(triggerCommand(context));
}

interface NextOptions {
  output: string;
  count: number;
}

function nextCommand(context: CliContext): Command {
  return pipelineCommand('next', 'show the next times')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addOption(new Option('--count <count>', 'at most so many').default(5).argParser(toCount))
    .action(async (id: string, { output, count }: NextOptions, command: Command) => {
      const { terminal, now, signal } = context;
      const schedule = await (await connect(context, command)).schedules.get(id, { signal });
      if (output === 'json') return terminal.out(toJson(schedule));
      const times = schedule.next.slice(0, count).map((at) => [clock(at), `in ${duration(Date.parse(at) - now())}`]);
      if (times.length > 0) terminal.out(toTable(times));
      terminal.note(summaryOf(schedule));
    });
}

function pauseCommand(context: CliContext): Command {
  return pipelineCommand('pause', 'halt the schedule; what runs goes on')
    .option('--note <text>', 'reason', '')
    .action(async (id: string, { note }: { note: string }, command: Command) => {
      const { schedules } = await connect(context, command);
      report(context, id, await schedules.pause(id, note, context), 'paused');
    });
}

function resumeCommand(context: CliContext): Command {
  return pipelineCommand('resume', 'let the schedule go on').action(
    async (id: string, _options: object, command: Command) => {
      const { schedules } = await connect(context, command);
      report(context, id, await schedules.resume(id, context), 'resumed');
    },
  );
}

function triggerCommand(context: CliContext): Command {
  return pipelineCommand('trigger', 'start the scheduled run now, unless one is going on').action(
    async (id: string, _options: object, command: Command) => {
      const slipway = await connect(context, command);
      const open = await openRunOf(slipway, id, context);
      report(context, id, await slipway.schedules.trigger(id, context), 'triggered');
      if (open !== undefined) context.terminal.note(`${nameOf(open)} is still running: this start is skipped`);
    },
  );
}

/** The run that goes on, beside which the schedule starts no second one. */
async function openRunOf(
  slipway: Slipway,
  id: string,
  { signal }: CliContext,
): Promise<Entity<'PipelineRun'> | undefined> {
  const { status } = await slipway.entities('ModelPipeline').get(id, { signal });
  if (status.lastRun === 0) return undefined;
  const newest = await slipway.runs.get(`${id}-${status.lastRun}`, { signal });
  return outcomeOf(newest) === 'pending' ? newest : undefined;
}

const pipelineCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument('<pipeline>', 'id of the pipeline')
    .addHelpText('after', `\nExample:\n  slipway schedule ${name} wine`);

function report({ terminal }: CliContext, id: string, schedule: Schedule, done: string): void {
  terminal.out(`schedule of pipeline/${id} ${done}`);
  terminal.note(summaryOf(schedule));
}

/** The schedule in one sentence. */
function summaryOf({ cron, timeZone, paused, pausedBy, note, next: [first], skipped, missed }: Schedule): string {
  const when = `"${cron}" in ${timeZone}`;
  const by = pausedBy === undefined ? '' : ` by ${pausedBy}`;
  const state = paused
    ? `paused${by}${note && `: ${note}`}`
    : first === undefined
      ? 'no time to come'
      : `next at ${clock(first)}`;
  const lost = [skipped > 0 ? `${skipped} left out` : '', missed > 0 ? `${missed} missed` : ''].filter(Boolean);
  return [when, state, ...lost].join(', ');
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('use a number from 1 to 9999.');
  return Number(text);
}
