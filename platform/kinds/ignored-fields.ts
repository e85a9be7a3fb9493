import { isRecord } from './record.js';
import type { Kind } from './resource.js';

/** Fields of other platforms' manifests that have no effect here, so that existing manifests stay valid. */
// prettier-ignore
const IGNORED: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  PackagingIntegration: ['spec.privileged'],
  ModelDeployment:      ['spec.annotations'],
  ModelPipeline:        ['spec.deployment.spec.annotations'],
  ModelRoute:           ['spec.attempts', 'spec.per_try_timeout'],
};
/** Fields of a Kubernetes manifest. */
const ENVELOPE = ['apiVersion', 'metadata'];
/** The one annotation that has an effect: the catalog shows it. */
const SHOWN_ANNOTATION = 'description';

/** Lists the fields of a body that have a value and no effect, as dotted paths. */
export const ignoredFields = (kind: Kind, body: unknown): string[] =>
  [...ENVELOPE, ...(IGNORED[kind] ?? [])].filter((path) => hasValue(valueAt(body, path.split('.'))));

/** The warning about an ignored field, in the server and the command line. */
export const ignoredText = (path: string): string =>
  isAnnotations(path)
    ? `${path} has no effect and is ignored, except ${SHOWN_ANNOTATION}`
    : `${path} has no effect and is ignored`;

const isAnnotations = (path: string): boolean => path.endsWith('.annotations');

function valueAt(body: unknown, path: readonly string[]): unknown {
  const value = path.reduce((found: unknown, name) => (isRecord(found) ? found[name] : undefined), body);
  if (path.at(-1) !== 'annotations' || !isRecord(value)) return value;
  const { [SHOWN_ANNOTATION]: _shown, ...rest } = value;
  return rest;
}

const hasValue = (value: unknown): boolean =>
  isRecord(value)
    ? Object.keys(value).length > 0
    : value !== undefined && value !== null && value !== '' && value !== false;
