import { runFailed } from '../../platform/kinds/reasons.js';
import type { Repository } from '../../platform/registry/repository.js';

/** The reference to pull instead, where an installation keeps mirrors. */
export function mirrored(reference: string, mirrors: Readonly<Record<string, string>>): string {
  return mirrors[reference] ?? reference;
}

/** Gives a manifest of the repository a tag. @throws run_failed, PushFailed, when it is gone */
export async function tagImage(repository: Repository, digest: string, tag: string): Promise<void> {
  const stored = await repository.manifest(digest);
  const message = `registry ${repository.registry} lost ${repository.name}@${digest} before its tag was written: run the packaging again`;
  if (stored === undefined) throw runFailed({ reason: 'PushFailed', message });
  await repository.putManifest(stored, tag);
}
