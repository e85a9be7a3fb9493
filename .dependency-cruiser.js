// The arrows of the house: a folder may import what its row names, and nothing else of ours.
// Lint (eslint.config.js) judges single files; this judges the graph, at any depth.

// prettier-ignore
const ALLOWED = {
  // domains: platform < lifecycle, reference < notifications
  'platform':            [],
  'lifecycle':           ['platform'],
  'reference':           ['platform'],
  'notifications':       ['platform', 'lifecycle', 'reference'],
  // layers
  'workflows':           ['platform/kinds', 'lifecycle/kinds', 'notifications/kinds', 'reference/dataset'],
  'activities':          ['platform', 'lifecycle', 'reference', 'notifications'],
  'openapi':             ['platform', 'lifecycle', 'reference', 'notifications'],
  'gateway':             ['platform', 'lifecycle', 'openapi'],
  'api':                 ['platform', 'lifecycle', 'reference', 'notifications', 'openapi'],
  // published: what they take from the house goes with them
  'receiver':            ['notifications/delivery'],
  'client':              [],
  'cli':                 ['client', 'config', 'openapi', 'platform/kinds', 'lifecycle/kinds', 'lifecycle/validation', 'notifications/kinds', 'reference/dataset'],
};
/** Parts of a folder that may import less than the rest of it: no I/O, so that workflows and the CLI can use them. */
// prettier-ignore
const PURE = {
  'platform/kinds':      ['platform/kinds'],
  'lifecycle/kinds':     ['lifecycle/kinds', 'platform/kinds'],
  'lifecycle/validation':['lifecycle/validation', 'lifecycle/kinds', 'platform/kinds'],
  'notifications/kinds': ['notifications/kinds', 'lifecycle/kinds', 'platform/kinds', 'reference/dataset'],
};
/** These come as types only: a workflow names its activities, the API names the workflows that it starts. */
// prettier-ignore
const TYPES = {
  'workflows':           ['activities'],
  'activities':          ['workflows'],
  'api':                 ['workflows', 'config'],
};

const OUTSIDE = '^(node_modules/|node:)';
const folders = (names) => `^(${names.join('|')})(/|\\.ts$)`;

const rule = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: folders([from]) },
  to: { pathNot: [OUTSIDE, folders(allowed)], dependencyTypesNot: ['core', 'npm', 'npm-dev'] },
});

export default {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(ALLOWED).flatMap(([from, allowed]) => [
      rule(
        `arrows-of-${from}`,
        from,
        [from, ...allowed, ...(TYPES[from] ?? [])],
        `${from}/ may import only: ${allowed.join(', ') || 'nothing of ours'}`,
      ),
      ...(TYPES[from] ?? []).map((to) => ({
        name: `types-only-from-${from}-to-${to}`,
        severity: 'error',
        from: { path: folders([from]) },
        to: { path: folders([to]), dependencyTypesNot: ['type-only'] },
      })),
    ]),
    ...Object.entries(PURE).map(([from, allowed]) =>
      rule(`${from.replace('/', '-')}-is-pure`, from, allowed, `${from}/ is free of I/O`),
    ),
    {
      name: 'workflow-sandbox',
      comment: 'the workflow sandbox has neither node modules nor room for zod',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^node_modules/zod/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflow-sandbox-core',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|\\.slipway|\\.slipway-test)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
