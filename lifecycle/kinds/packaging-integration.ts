import { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { anyJson, flag, list, object, optionalText, text } from '../../platform/kinds/lenient.js';

/** A value that is left out is `null`. */
const Parameter = z.object({ name: text(), value: anyJson().default(null) }).prefault({});

/** A packager: its image, the connections it takes and the arguments it understands. */
export const PackagingIntegrationSpec = object({
  entrypoint: text(),
  defaultImage: text(),
  privileged: flag(false),
  schema: object({
    targets: list(
      object({
        name: text(),
        connectionTypes: list(text()),
        /** Id of the connection that is taken when a packaging names none. */
        default: optionalText(),
        required: flag(false),
      }),
    ),
    arguments: object({
      /** The parameters of a property become one fragment of JSON schema; `""` and `null` are values there. */
      properties: list(object({ name: text(), parameters: list(Parameter) })),
      required: list(text()),
    }),
  }),
});
export type PackagingIntegrationSpec = z.infer<typeof PackagingIntegrationSpec>;
export type PackagingIntegration = Resource<PackagingIntegrationSpec, Record<string, never>>;
