import type { Platform } from '../../../workers/compose/platform.js';

/** Where a person can look. */
export function printAddresses({ settings }: Platform): void {
  const { SLIPWAY_BASE_URL, SLIPWAY_TEMPORAL_UI_URL, TEMPORAL_NAMESPACE } = settings;
  console.log(`
== look around (with --keep)
   every run, step by step   ${SLIPWAY_TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows
   management API            ${SLIPWAY_BASE_URL}/swagger/index.html
   deployed models           ${SLIPWAY_BASE_URL}/service-catalog/swagger/index.html`);
}

export async function untilInterrupted(platform: Platform): Promise<void> {
  console.log('\nThe platform stays up; Ctrl-C stops it.');
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await platform.stop();
}
