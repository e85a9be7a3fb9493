import { isDeepStrictEqual } from 'node:util';
import type { Entity } from '../../client/index.js';
import type { ReferenceKind } from '../../client/reference-kinds.js';
import { isDrawnId } from '../../client/reference-kinds.js';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { WatchSpec } from '../../notifications/kinds/watch.js';
import { ApiKeyRequest } from '../../platform/kinds/api-key.js';
import { SlipwayError, type Issue } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/record.js';
import { unknownFields } from '../../platform/kinds/unknown-fields.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';
import { wordOf } from '../kinds.js';

const SCHEMAS = { Dataset: DatasetSpec, ApiKey: ApiKeyRequest, Subscription: SubscriptionSpec, Watch: WatchSpec };

/** Validates a kind of `/v2` as far as that needs no server: scopes, filters and addresses are left to it. */
export function referenceValidator(kind: ReferenceKind) {
  const read = (body: unknown) => {
    const { id = '', spec: given } = isRecord(body) ? body : {};
    const name = String(id);
    // A kind without a name of its own in the manifest has its id as its name.
    const named = kind === 'Dataset' || !isRecord(given) ? given : { name, ...given };
    const unknown = [...unknownFields(SCHEMAS[kind], named, ['spec'])];
    const result = SCHEMAS[kind].safeParse(named);
    // Unknown fields have a text of their own, unless they are in one of several forms.
    const isSaid = (code: string): boolean => code === 'unrecognized_keys' && unknown.length > 0;
    const wrong = result.success ? [] : result.error.issues.filter(({ code }) => !isSaid(code));
    const issues = [...unknown, ...wrong.map(({ path, message }) => issue(['spec', ...path], message))];
    const spec: object = result.success ? result.data : {};
    if (name.trim() === '') return { id: '', spec, misfits: [issue(['id'], 'is required: a name')] };
    const more = kind === 'Dataset' ? declarationIssues(name, given) : [];
    return { id: name, spec, misfits: issues.length > 0 ? issues : more };
  };
  return {
    read,
    async validate(body: unknown, _context: unknown, stored: object | undefined) {
      const { id, spec, misfits } = read(body);
      const stays = kind === 'ApiKey' ? withEnd(spec as ApiKeyRequest, stored as Key | undefined) : spec;
      return { spec: stays, issues: [...misfits, ...changeIssues(kind, { id, stored, spec: stays })] };
    },
  };
}

type Key = Entity<'ApiKey'>['spec'];

/** A key without an end has the one that the server gave it. */
const withEnd = (spec: ApiKeyRequest, stored: Key | undefined) => ({
  ...spec,
  expires_at: spec.expires_at ? new Date(spec.expires_at).toISOString() : (stored?.expires_at ?? null),
});

function changeIssues(
  kind: ReferenceKind,
  { id, stored, spec }: { id: string; stored: object | undefined; spec: object },
): Issue[] {
  if (stored === undefined && isDrawnId(kind, id)) {
    const message = `there is no ${wordOf(kind)} "${id}": ids are drawn by the server, so use a name to create one`;
    return [issue(['id'], message)];
  }
  if (kind !== 'ApiKey' || stored === undefined || isDeepStrictEqual({ ...stored }, spec)) return [];
  return [issue(['spec'], `a key cannot be changed: delete key "${id}" and apply again, or use another id`)];
}

const issue = (path: readonly PropertyKey[], message: string): Issue => {
  const dotted = path.map(String).join('.');
  return { path: dotted, code: 'invalid', message: `${dotted} ${message}` };
};

/** The rules between the fields of a declaration, and of its name. */
function declarationIssues(name: string, spec: unknown): Issue[] {
  try {
    acceptDataset(name, { spec });
    return [];
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    const problems = error.problems ?? [];
    return problems.map(({ pointer = '', message }) => issue(pointer.split('/').slice(1), message));
  }
}
