import { startPlatform } from './compose/platform.js';

const report = (line: string): void => console.log(line);

try {
  const platform = await startPlatform({ environment: process.env, report });
  const { SLIPWAY_BASE_URL, SLIPWAY_TEMPORAL_UI_URL, OIDC_ISSUER } = platform.settings;
  console.log(`
Slipway is up. Ctrl-C stops it.
  front door     ${SLIPWAY_BASE_URL}
  API and login  ${SLIPWAY_BASE_URL}/swagger/index.html
  catalog        ${SLIPWAY_BASE_URL}/service-catalog/swagger/index.html
  every run      ${SLIPWAY_TEMPORAL_UI_URL}
  tokens         ${OIDC_ISSUER}/token
`);
  const stop = (): void => {
    console.log('stopping');
    platform.stop().then(
      () => process.exit(0),
      (err: unknown) => {
        console.error(err instanceof Error ? err.message : err);
        process.exit(1);
      },
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (err) {
  console.error(err instanceof Error ? err.message : err);
  process.exitCode = 1;
}
