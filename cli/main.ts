import { Command } from 'commander';
import { configCommand } from './config.js';

const program = new Command('slipway')
  .description('Takes a machine learning model from a git commit to live traffic.')
  .addCommand(configCommand());

await program.parseAsync();
