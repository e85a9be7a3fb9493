import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// The arrows of the grid: a layer may import the values of the layers in its row, and nothing else of ours.
// prettier-ignore
const LAYERS = {
  resources:  [],
  stores:     ['resources', 'reference'], // a dataset is its log and the fold of it
  engines:    ['resources'],
  webhooks:   ['resources'],
  'webhooks/receiver': [], // it is published, with what it takes from its parent: signatures and keys
  reference:  ['resources'],
  watches:    ['resources', 'reference', 'events'],
  events:     ['resources', 'reference'],
  openapi:    ['resources', 'events'],
  workflows:  ['resources'],
  activities: ['resources', 'stores', 'engines', 'webhooks', 'reference', 'watches', 'events'],
  gateway:    ['resources', 'stores', 'openapi'],
  api:        ['resources', 'stores', 'openapi', 'reference', 'webhooks', 'watches', 'events'],
  client:     [], // it is published: its types are made of the OpenAPI document
  cli:        ['resources', 'client'], // and the settings, which are no layer
};
const ALL = [...Object.keys(LAYERS), 'workers', 'stack', 'console', 'examples', 'bench', 'chaos', 'test'];
// Types alone may also come from these: a workflow names its activities, the API names the workflows that it starts.
// prettier-ignore
const TYPES = {
  workflows:  ['activities'],
  activities: ['workflows'],
  api:        ['workflows'],
};

const layerRules = Object.entries(LAYERS).map(([layer, allowed]) => {
  const forbidden = ALL.filter((other) => other !== layer && !allowed.includes(other));
  const typesOnly = TYPES[layer] ?? [];
  const pattern = (names, extra = {}) => ({
    group: names.flatMap((name) => [`../${name}/*`, `../../${name}/*`]),
    message: `${layer}/ may import only: ${allowed.join(', ') || 'nothing of ours'}`,
    ...extra,
  });
  const patterns = [pattern(forbidden.filter((name) => !typesOnly.includes(name)))];
  if (typesOnly.length > 0) patterns.push(pattern(typesOnly, { allowTypeImports: true }));
  if (layer === 'workflows') {
    patterns.push({ group: ['node:*', 'zod'], message: 'the workflow sandbox has neither' });
  }
  return {
    files: [`${layer}/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
});

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.slipway', '.slipway-test', 'coverage', 'runtime', 'examples/**/*.py'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  ...layerRules,
  {
    // A command's output is its product.
    files: [
      'cli/**/*.ts',
      'stack/**/*.ts',
      'bench/**/*.ts',
      'chaos/**/*.ts',
      'examples/**/*.ts',
      'workers/**/*.ts',
      'test/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
