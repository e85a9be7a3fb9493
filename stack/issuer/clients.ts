/** The development clients: one for each role of the platform, and one for a role of a user's own. */
// prettier-ignore
export const CLIENTS = {
  'demo-admin':     { secret: 'demo-admin-secret',     roles: ['admin'],          name: 'Demo Admin' },
  'demo-scientist': { secret: 'demo-scientist-secret', roles: ['data_scientist'], name: 'Demo Scientist' },
  'demo-viewer':    { secret: 'demo-viewer-secret',    roles: ['viewer'],         name: 'Demo Viewer' },
  'demo-custom':    { secret: 'demo-custom-secret',    roles: ['wine-callers'],   name: 'Demo Custom' },
} as const satisfies Record<string, { secret: string; roles: readonly string[]; name: string }>;
export type ClientId = keyof typeof CLIENTS;

export function isClientId(id: string): id is ClientId {
  return Object.hasOwn(CLIENTS, id);
}
