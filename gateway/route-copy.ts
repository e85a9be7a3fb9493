import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { RouteSpec } from '../lifecycle/kinds/route.js';
import { errorCode } from './error-code.js';
import type { CustomRoute } from './route-follower.js';

/** All that a gateway serves, read at once. */
export interface Snapshot {
  endpoints: Endpoint[];
  routes: CustomRoute[];
}

const OneRevision = z.object({
  id: z.string(),
  uid: z.string(),
  generation: z.number(),
  imageId: z.string().optional(),
  roleName: z.string(),
  roles: z.array(z.string()).optional(),
  description: z.string().optional(),
  modelName: z.string(),
  modelVersion: z.string(),
  timeoutSeconds: z.number(),
  feedback: z.boolean(),
  records: z.object({ redact: z.array(z.string()), retentionDays: z.number() }).optional(),
  replicas: z.array(z.object({ name: z.string(), url: z.string() })),
  info: z.record(z.string(), z.unknown()),
  epoch: z.number().optional(),
});
const Endpoints = z.array(
  OneRevision.extend({ candidate: z.object({ weight: z.number(), endpoint: OneRevision }).optional() }),
) satisfies z.ZodType<Endpoint[]>;
const CustomRoutes = z.array(z.object({ id: z.string(), revision: z.number(), spec: RouteSpec }));

/** A copy of an earlier release is the list of endpoints alone. */
const StoredSnapshot = z.union([
  z.object({ endpoints: Endpoints, routes: CustomRoutes }),
  Endpoints.transform((endpoints) => ({ endpoints, routes: [] })),
]) satisfies z.ZodType<Snapshot>;

/** The copy on disk of the last snapshot: the gateway starts with it and serves through an outage of the database. */
export function createRouteCopy({ path, log }: { path: string; log: Pick<Logger, 'warn'> }) {
  let text = '';
  let isStale = false;

  return {
    async read(): Promise<Snapshot | undefined> {
      try {
        text = await readFile(path, 'utf8');
        return StoredSnapshot.parse(JSON.parse(text));
      } catch (err) {
        text = '';
        if (errorCode(err) !== 'ENOENT') log.warn({ err }, 'no usable copy of the routes');
        return undefined;
      }
    },

    async write(snapshot: Snapshot): Promise<void> {
      const next = JSON.stringify(snapshot);
      if (next === text) return;
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(`${path}.next`, next, { mode: 0o600 });
        await rename(`${path}.next`, path);
        text = next;
        isStale = false;
      } catch (err) {
        if (!isStale) log.warn({ err }, 'the copy of the route table cannot be written: trying again');
        isStale = true;
      }
    },
  };
}
