/** Words of an earlier product that clients still send, per place where they stand: alias to ours (management API, 0). */
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

/** Our word for a client's: what comparisons use. What is stored and returned is the word that the client sent. */
export function canonical(vocabulary: Vocabulary, word: string): string {
  const words: Readonly<Record<string, string>> = ALIASES[vocabulary];
  return Object.hasOwn(words, word) ? (words[word] ?? word) : word;
}

/** The alias of one of our words; the word itself where there is none or more than one. */
export function aliasOf(vocabulary: Vocabulary, word: string): string {
  const [alias, ...others] = Object.entries(ALIASES[vocabulary]).flatMap(([from, to]) => (to === word ? [from] : []));
  return alias === undefined || others.length > 0 ? word : alias;
}

export const sameWord = (vocabulary: Vocabulary, one: string, other: string): boolean =>
  canonical(vocabulary, one) === canonical(vocabulary, other);
