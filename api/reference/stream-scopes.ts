import type { PlatformStream } from '../../resources/platform-event.js';

const PLATFORM_SCOPES: Readonly<Record<PlatformStream, string>> = {
  pipeline: 'pipelines:read',
  watch: 'watches:read',
  ops: 'subscriptions:read',
};

/** What a caller needs to be told of a stream: nobody is told what they may not read. */
export const scopeOfStream = (stream: string): string =>
  Object.hasOwn(PLATFORM_SCOPES, stream) ? PLATFORM_SCOPES[stream as PlatformStream] : `data:read:${stream}`;
