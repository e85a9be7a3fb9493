import { z } from 'zod';

/** How to log in at one server. */
const Login = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  tokenEndpoint: z.string(),
  scope: z.string().optional(),
  /** The last token, used until it ends. */
  token: z.object({ value: z.string(), expiresAt: z.number() }).optional(),
});

export const ConfigFile = z.object({
  /** The server of commands that name none. */
  current: z.string().optional(),
  /** Logins by server. */
  servers: z.record(z.string(), Login).default({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;
