/** Groups of the management API that an installation can switch off (management API, 1 and 4.3). */
export const API_GROUPS = ['connection', 'training', 'packaging', 'deployment', 'batch'] as const;
export type ApiGroup = (typeof API_GROUPS)[number];

/** Where each path below `/api/v1` belongs; a pipeline does what three groups do. */
const PATHS: readonly (readonly [path: string, groups: readonly ApiGroup[]])[] = [
  ['/connection', ['connection']],
  ['/model/training', ['training']],
  ['/toolchain/integration', ['training']],
  ['/model/packaging', ['packaging']],
  ['/packaging/integration', ['packaging']],
  ['/model/deployment', ['deployment']],
  ['/model/route', ['deployment']],
  ['/batch', ['batch']],
  ['/model/pipeline', ['training', 'packaging', 'deployment']],
];

/** The groups without which a path takes no changes. @param path such as `/api/v1/model/training/wine` */
export const groupsOf = (path: string): readonly ApiGroup[] =>
  PATHS.find(([each]) => `${path}/`.startsWith(`/api/v1${each}/`))?.[1] ?? [];
