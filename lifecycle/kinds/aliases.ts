/** Names of an earlier product that clients still send, per field: alias to primary name (management API, 0). */
// prettier-ignore
const ALIASES = {
  connectionType:    { gcs: 'object-store', s3: 'object-store', azureblob: 'object-store', docker: 'container-registry', ecr: 'cloud-registry' },
  toolchain:         { mlflow: 'ml-toolchain' },
  predictor:         { 'odahu-ml-server': 'platform-ml-server', triton: 'tensor-server' },
  packager:          { 'docker-rest': 'container-rest', 'docker-cli': 'container-cli', 'docker-triton': 'container-tensor' },
  packagerTarget:    { 'docker-push': 'container-push', 'docker-pull': 'container-pull' },
  packagerArgument:  { triton_base_image_tag: 'server_base_image_tag' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;
export type Vocabulary = keyof typeof ALIASES;

/** The primary name for a client's name, for comparisons. Stored and returned is the name that the client sent. */
export function canonical(vocabulary: Vocabulary, name: string): string {
  const names: Readonly<Record<string, string>> = ALIASES[vocabulary];
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}

/** The alias of a primary name; the name itself where there is none or more than one. */
export function aliasOf(vocabulary: Vocabulary, name: string): string {
  const [alias, ...others] = Object.entries(ALIASES[vocabulary]).flatMap(([from, to]) => (to === name ? [from] : []));
  return alias === undefined || others.length > 0 ? name : alias;
}

/** All names of what a client's name means: the primary one and its aliases. */
export function namesOf(vocabulary: Vocabulary, name: string): readonly string[] {
  const primary = canonical(vocabulary, name);
  const aliases = Object.entries(ALIASES[vocabulary]).flatMap(([from, to]) => (to === primary ? [from] : []));
  return [primary, ...aliases];
}

export const sameName = (vocabulary: Vocabulary, one: string, other: string): boolean =>
  canonical(vocabulary, one) === canonical(vocabulary, other);
