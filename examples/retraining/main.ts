import { runRetraining } from './run.js';

const keep = process.argv.includes('--keep');
if (process.argv.includes('--help')) {
  console.log(`npm run retraining [-- --keep]   a pipeline that retrains after 100 feedback records, and refuses a worse model;
                                --keep leaves the platform running`);
} else {
  await runRetraining({ keep, environment: process.env }).catch((err: unknown) => {
    console.error(`\n${err instanceof Error ? err.message : String(err)}`);
    process.exitCode = 1;
  });
}
