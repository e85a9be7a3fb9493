import { runDemo } from './demo/run.js';

const keep = process.argv.includes('--keep');
if (process.argv.includes('--help')) {
  console.log('npm run demo [-- --keep]   from a git commit to predictions; --keep leaves the platform running');
} else {
  await runDemo({ keep, environment: process.env }).catch((err: unknown) => {
    console.error(`\n${err instanceof Error ? err.message : String(err)}`);
    process.exitCode = 1;
  });
}
