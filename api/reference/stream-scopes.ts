import type { PlatformStream } from '../../resources/platform-event.js';
import { requireScope } from './credentials.js';
import type { Client } from './state.js';

const PLATFORM_SCOPES: Readonly<Record<PlatformStream, readonly string[]>> = {
  pipeline: ['pipelines:read'],
  watch: ['watches:read', 'data:read:*'], // of whatever dataset
  ops: ['subscriptions:read'],
};

/** Nobody is told of a stream that they may not read. @throws auth.scope */
export function requireStream(client: Client, stream: string): void {
  const isPlatform = Object.hasOwn(PLATFORM_SCOPES, stream);
  const scopes = isPlatform ? PLATFORM_SCOPES[stream as PlatformStream] : [`data:read:${stream}`];
  for (const scope of scopes) requireScope(client, scope);
}
