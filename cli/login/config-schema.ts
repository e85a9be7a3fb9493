import { z } from 'zod';
import { isRecord } from '../../platform/kinds/record.js';

/** Fields by the names that they had before. */
const renamed = (names: Readonly<Record<string, string>>) => (given: unknown) =>
  isRecord(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]))
    : given;

/** How to log in at one server. */
const Login = z.preprocess(
  renamed({ tokenEndpoint: 'api_issuing_url' }),
  z.object({
    clientId: z.string(),
    clientSecret: z.string(),
    /** The address that issues tokens. */
    api_issuing_url: z.string(),
    scope: z.string().optional(),
    /** The last token, used until it ends. */
    token: z.object({ value: z.string(), expiresAt: z.number() }).optional(),
  }),
);

export const ConfigFile = z.preprocess(
  renamed({ current: 'api_url' }),
  z.object({
    /** The server of commands that name none. */
    api_url: z.string().optional(),
    /** Logins by server. */
    servers: z.record(z.string(), Login).default({}),
  }),
);
export type ConfigFile = z.infer<typeof ConfigFile>;
