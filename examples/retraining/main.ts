import { runRetraining } from './run.js';

if (process.argv.includes('--help')) {
  console.log('npm run retraining   a pipeline that retrains after 100 feedback records, and refuses a worse model');
} else {
  await runRetraining(process.env).catch((err: unknown) => {
    console.error(`\n${err instanceof Error ? err.message : String(err)}`);
    process.exitCode = 1;
  });
}
