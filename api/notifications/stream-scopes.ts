import type { Subscription } from '../../notifications/kinds/subscription.js';
import { isPlatformStream, type PlatformStream } from '../../platform/kinds/platform-event.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { covers } from '../../platform/kinds/scope.js';
import { requireScope } from '../reference/credentials.js';
import type { Client } from '../reference/state.js';

const PLATFORM_SCOPES: Readonly<Record<PlatformStream, readonly string[]>> = {
  pipeline: ['pipelines:read'],
  watch: ['watches:read', 'data:read:*'], // watches may cover any dataset
  ops: ['subscriptions:read'],
};

const scopesOf = (stream: string): readonly string[] =>
  isPlatformStream(stream) ? PLATFORM_SCOPES[stream] : [`data:read:${stream}`];

/** Requires the scopes to read a stream. @throws auth.scope */
export function requireStream(client: Client, stream: string): void {
  for (const scope of scopesOf(stream)) requireScope(client, scope);
}

export const mayReadStream = ({ scopes }: Client, stream: string): boolean =>
  scopesOf(stream).every((scope) => covers(scopes, scope));

/** Whether a client may read every stream of a subscription: what it shows and sends is what a read of them would show. */
export const mayReadSubscription = (client: Client, { status }: Pick<Subscription, 'status'>): boolean =>
  Object.keys({ ...status.declarations, ...status.starts_at }).every((stream) => mayReadStream(client, stream));

/** The cause of a 404 for an object that the client may not read; only the audit log shows it. */
export const unreadable = (): SlipwayError =>
  new SlipwayError('auth.scope', 'the scope of one of its streams is missing');
