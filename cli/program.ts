import { Command } from 'commander';
import { applyCommand } from './apply.js';
import { approveCommand, rejectCommand } from './approve.js';
import { auditCommand } from './audit.js';
import { candidatesCommand, completionCommand } from './completion/completion.js';
import { configCommand } from './config.js';
import type { CliContext } from './context.js';
import { deleteCommand } from './delete.js';
import { deliveryCommand } from './delivery/delivery.js';
import { deployCommand } from './deploy.js';
import { describeCommand } from './describe.js';
import { diffCommand } from './diff.js';
import { doctorCommand } from './doctor.js';
import { EXIT_CODES } from './exit-codes.js';
import { explainCommand, schemaCommand } from './explain.js';
import { feedbackCommand } from './feedback.js';
import { getCommand } from './get.js';
import { healthCommand } from './health.js';
import { quotaCommand } from './quota.js';
import { initCommand } from './init.js';
import { infoCommand, invokeCommand } from './invoke.js';
import { lineageCommand } from './lineage/lineage.js';
import { recordCommand } from './record.js';
import { loginCommand } from './login/login.js';
import { logoutCommand } from './login/logout.js';
import { whoamiCommand } from './login/whoami.js';
import { logsCommand } from './logs.js';
import { connectionCommand } from './connection.js';
import { toTable } from './output/table.js';
import { packCommand } from './pack.js';
import { pipelineCommand } from './pipeline/pipeline.js';
import { importCommand } from './reference/import.js';
import { importsCommand } from './reference/imports.js';
import { rowCommand, rowsCommand } from './reference/rows.js';
import { cancelCommand, rerunCommand } from './run-actions.js';
import { rolloutCommand } from './rollout.js';
import { resumeCommand, scaleCommand, suspendCommand } from './scale.js';
import { scheduleCommand } from './schedule.js';
import { secretsCommand } from './secrets.js';
import { subscriptionCommand } from './subscription/subscription.js';
import { topCommand } from './top.js';
import { trainCommand } from './train.js';
import { verifyCommand } from './verify.js';
import { waitCommand } from './wait.js';

const EXIT_CODE_HELP = toTable(EXIT_CODES.map(({ code, means }) => [`  ${code}`, means]));

// prettier-ignore
const GROUPS: readonly (readonly [string, readonly ((context: CliContext) => Command)[]])[] = [
  ['Log in:',           [loginCommand, logoutCommand, whoamiCommand]],
  ['Write manifests:',  [initCommand, explainCommand, schemaCommand]],
  ['Describe and see:', [applyCommand, diffCommand, getCommand, describeCommand, lineageCommand, recordCommand, connectionCommand, verifyCommand, deleteCommand]],
  ['Run:',              [trainCommand, packCommand, deployCommand, waitCommand, rolloutCommand, logsCommand, cancelCommand, rerunCommand]],
  ['Automate:',         [pipelineCommand, approveCommand, rejectCommand, scheduleCommand]],
  ['Scale:',            [scaleCommand, suspendCommand, resumeCommand]],
  ['Use models:',       [infoCommand, invokeCommand, feedbackCommand]],
  ['Reference data:',   [rowsCommand, rowCommand, importCommand, importsCommand]],
  ['Notify:',           [subscriptionCommand, deliveryCommand]],
  ['Operate:',          [healthCommand, topCommand, doctorCommand, quotaCommand, auditCommand, secretsCommand, configCommand, completionCommand]],
];

/** The whole command line. */
export function createProgram(context: CliContext): Command {
  const program = new Command('slipway')
    .description('Takes a machine learning model from a git commit to live traffic.')
    .version(context.version, '-V, --version')
    .option('--server <url>', 'address of the platform, or SLIPWAY_SERVER')
    .option('--config <file>', 'file with logins, or SLIPWAY_CONFIG')
    .option('--verbose', 'print every request to standard error')
    .addHelpText('after', `\nExit codes:\n${EXIT_CODE_HELP}`);

  for (const [group, commands] of GROUPS) {
    program.commandsGroup(group);
    for (const create of commands) program.addCommand(create(context));
  }
  program.addHelpCommand(new Command('help').argument('[command]').description('show the help of a command'));
  program.addCommand(candidatesCommand(context), { hidden: true });
  return settle(program, context);
}

/** Settings for every command; commander inherits only some of them. */
function settle(command: Command, context: CliContext): Command {
  const { terminal } = context;
  command
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError(`see "${pathOf(command)} --help"`)
    .configureHelp({ showGlobalOptions: command.parent !== null, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    });
  for (const child of command.commands) settle(child, context);
  return command;
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
