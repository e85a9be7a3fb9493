import { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { flag, object, optionalList, optionalText, text } from '../../platform/kinds/lenient.js';

const SECRET_USES = ['training'] as const;

/** How to reach a repository, an object store or a registry. `password`, `keyID`, `keySecret`, `publicKey` are Base64. */
export const ConnectionSpec = object({
  /** The name that the client sent: compare with `canonical()`. */
  type: text(),
  uri: text(),
  region: optionalText(),
  username: optionalText(),
  password: optionalText(),
  role: optionalText(),
  keyID: optionalText(),
  keySecret: optionalText(),
  publicKey: optionalText(),
  /** Git reference to use when a training names none. */
  reference: optionalText(),
  description: optionalText(),
  webUILink: optionalText(),
  /** Whether it is refused to delete it. */
  vital: flag(false),
  /** The runs that may have its secrets as environment; without it none may. */
  usableIn: optionalList(z.enum(SECRET_USES, `must be ${SECRET_USES.join(' or ')}`)),
});
export type ConnectionSpec = z.infer<typeof ConnectionSpec>;
export type Connection = Resource<ConnectionSpec, Record<string, never>>;
