import type { KeyObject } from 'node:crypto';
import { Bundle } from '../../platform/attestation/bundle.js';
import { type Envelope, keyHint, signingKeyOf, STATEMENT_TYPE } from '../../platform/attestation/envelope.js';
import { parseJson } from '../../platform/attestation/json.js';
import { isAbout, PREDICATES, Statement } from '../../platform/attestation/statement.js';
import { type Input, Provenance } from './provenance.js';
import { countPackages } from './sbom.js';

/** An image whose provenance is signed with a trusted key. */
export interface VerifiedImage {
  verified: true;
  /** Name of the key, as bundles have it. */
  key: string;
  /** Address of the installation that made it. */
  builder: string;
  packaging: string;
  training?: string;
  model: { name: string; version: string };
  commit?: string;
  /** Data by its place in the training, with its SHA-256. */
  data: { name: string; sha256: string }[];
  artifact?: string;
  base?: { image: string; digest: string };
  /** Python packages of its bill of materials; absent without a signed one. */
  packages?: number;
}
/** An image of which nothing is known for sure. `why` completes "the image is not trusted: ...". */
export interface UnverifiedImage {
  verified: false;
  why: string;
}
export type ImageVerification = VerifiedImage | UnverifiedImage;

/**
 * Checks the attestations of an image: signature, subject, then content.
 * @param bundles texts as the registry has them; whoever may push to the repository may add some
 * @param keys public keys that are trusted
 */
export function verifyImage(digest: string, bundles: readonly string[], keys: readonly KeyObject[]): ImageVerification {
  const read = bundles.flatMap(envelopeIn);
  const signed = read.flatMap((envelope) => {
    const key = signingKeyOf(envelope, keys);
    return key === undefined ? [] : [{ key, statement: statementIn(envelope) }];
  });
  const valid = signed.flatMap(({ key, statement }) =>
    statement !== undefined && isAbout(statement, digest) ? [{ key, statement }] : [],
  );
  for (const { key, statement } of valid) {
    const provenance = statement.predicateType === PREDICATES.provenance && Provenance.safeParse(statement.predicate);
    if (!provenance || !provenance.success) continue;
    const sbom = valid.find((each) => each.statement.predicateType === PREDICATES.sbom)?.statement.predicate;
    return {
      ...{ verified: true, key: keyHint(key), ...factsOf(provenance.data) },
      ...(sbom !== undefined && { packages: countPackages(sbom) }),
    };
  }
  return { verified: false, why: whyNot({ statements: read.length, signed: signed.length, valid: valid.length }) };
}

function whyNot({ statements, signed, valid }: { statements: number; signed: number; valid: number }): string {
  if (statements === 0) return 'it has no signed statement of its origin';
  if (signed === 0) return 'its statements are not signed with a key of this installation';
  if (valid === 0) return 'its statements are about another image';
  return 'its statements say nothing of its origin';
}

function envelopeIn(text: string): Envelope[] {
  const bundle = Bundle.safeParse(parseJson(text));
  if (!bundle.success) return [];
  const { dsseEnvelope: envelope } = bundle.data;
  return envelope.payloadType === STATEMENT_TYPE ? [envelope] : [];
}

function statementIn({ payload }: Envelope): Statement | undefined {
  return Statement.safeParse(parseJson(Buffer.from(payload, 'base64').toString('utf8'))).data;
}

function factsOf({ buildDefinition, runDetails }: Provenance) {
  const { externalParameters, resolvedDependencies } = buildDefinition;
  const { packaging, training, model } = externalParameters;
  const input = (name: string): Input | undefined => resolvedDependencies.find((each) => each.name === name);
  const [commit, base] = [input('commit')?.digest.gitCommit, input('base')];
  const artifact = input('artifact')?.uri?.replace(/^slipway:artifact\//, '');
  return {
    ...{ builder: runDetails.builder.id, packaging, model },
    ...(training !== undefined && { training }),
    ...(commit !== undefined && { commit }),
    data: resolvedDependencies.flatMap(({ name, digest }) =>
      name.startsWith('data/') ? [{ name: name.slice('data/'.length), sha256: digest.sha256 ?? '' }] : [],
    ),
    ...(artifact !== undefined && { artifact }),
    ...(base && { base: { image: base.uri?.replace(/^oci:/, '') ?? '', digest: `sha256:${base.digest.sha256}` } }),
  };
}
