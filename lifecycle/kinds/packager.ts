import { canonical } from './aliases.js';

const PACKAGERS = ['container-rest', 'container-cli', 'container-tensor'] as const;
/** A packager that is a part of the platform. */
export type BuiltInPackager = (typeof PACKAGERS)[number];

/** The packager of the platform that an integration names as its `entrypoint`; `undefined` for a program of its image. */
export const builtInPackager = (entrypoint: string): BuiltInPackager | undefined =>
  PACKAGERS.find((name) => name === canonical('packager', entrypoint));
