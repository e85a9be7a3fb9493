import { z } from 'zod';

/** Predicate types that an image gets here. */
export const PREDICATES = {
  provenance: 'https://slsa.dev/provenance/v1',
  sbom: 'https://cyclonedx.org/bom',
} as const;

/** A claim about artifacts that are named by their digests (in-toto Statement v1). */
export const Statement = z.object({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(z.object({ name: z.string().optional(), digest: z.record(z.string(), z.string()) })).min(1),
  predicateType: z.string(),
  predicate: z.unknown(),
});
export type Statement = z.infer<typeof Statement>;

/** @param image name and manifest digest (`sha256:...`) of the image that the statement is about */
export function imageStatement(
  image: { name: string; digest: string },
  predicateType: string,
  predicate: unknown,
): Statement {
  const [algorithm = '', hex = ''] = image.digest.split(':');
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: image.name, digest: { [algorithm]: hex } }],
    predicateType,
    predicate,
  };
}

/** Whether a statement is about the manifest of a digest. */
export const isAbout = ({ subject }: Statement, digest: string): boolean =>
  subject.some((each) => `sha256:${each.digest.sha256}` === digest);
