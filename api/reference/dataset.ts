import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { covers } from '../../platform/kinds/scope.js';
import type { Declaration } from '../../reference/dataset/replica.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Declarations } from '../../reference/stores/declarations.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import type { ReferenceAudit, ReferenceAudits } from '../../reference/stores/reference-audits.js';
import { type ReferenceQuotas, withinQuota } from './quota.js';
import { readJson } from '../http/exact-json.js';
import { readQuery, toFlag } from '../http/parameters.js';
import { isKnown, shortHash } from '../http/etag.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface DatasetRoutesOptions {
  datasets: Datasets;
  declarations: Declarations;
  audits: ReferenceAudits;
  quotas?: ReferenceQuotas | undefined;
}

const LIMIT_BYTES = 256 * 1_024;

/** `GET, PUT, DELETE /v2/datasets[/{name}]`. */
export function createDatasetRoutes({ datasets, declarations, audits, quotas }: DatasetRoutesOptions) {
  const show = (dataset: LiveDataset, declaration: Declaration) =>
    toResource(dataset, declaration, audits.last(dataset.name));

  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { scopes, rowFilters } = ctx.state.client;
    ctx.body = {
      items: datasets.all().flatMap((dataset) => {
        const { declaration } = dataset.replica;
        // The status counts rows, which a row filter may hide.
        if (declaration === undefined || rowFilters?.has(dataset.name)) return [];
        if (!covers(scopes, `data:read:${dataset.name}`)) return [];
        return [show(dataset, declaration)];
      }),
    };
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { dataset, declaration } = datasets.get(ctx.params.name ?? '');
    const audit = audits.last(dataset.name);
    if (!isKnown(ctx, etagOf(declaration, dataset, audit))) ctx.body = toResource(dataset, declaration, audit);
  };

  const put: ReferenceStep = async (ctx) => {
    const name = ctx.params.name ?? '';
    const { force } = readQuery(ctx, ['force']);
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const { spec } = acceptDataset(name, given);
    const { actor } = ctx.state.client;
    const check = checkOf(ctx);
    const declare = { name, spec, actor, force: toFlag('force', force), check };
    const isNew = datasets.all().every((each) => each.name !== name || each.replica.declaration === undefined);
    const wanted = { kind: 'Dataset', id: name, owner: actor } as const;
    const { declaration, outcome } = await withinQuota(isNew ? quotas : undefined, wanted, () =>
      declarations.declare(declare),
    );
    const { dataset } = datasets.get(name);
    ctx.status = outcome === 'created' ? 201 : 200;
    if (outcome === 'created') ctx.set('Location', `/v2/datasets/${name}`);
    ctx.set('ETag', etagOf(declaration, dataset, audits.last(name)));
    ctx.body = show(dataset, declaration);
  };

  const remove: ReferenceStep = async (ctx) => {
    const name = ctx.params.name ?? '';
    const { confirm } = readQuery(ctx, ['confirm']);
    datasets.get(name);
    if (confirm !== name)
      throw new SlipwayError(
        'parameter.invalid',
        `confirm ${JSON.stringify(confirm ?? null)} does not match: send confirm=${name} to delete the dataset`,
      );
    await declarations.drop({ name, actor: ctx.state.client.actor, check: checkOf(ctx) });
    ctx.status = 204;
  };

  return { list, read, put, remove };
}

/** Puts a declaration into the envelope of every resource, with the state of the dataset replica as its status. */
export function toResource(
  { name, replica, follower }: LiveDataset,
  declaration: Declaration,
  audit: ReferenceAudit | undefined,
) {
  const { spec, generation, at, actor } = declaration;
  const { pin, heldBy, blocked } = replica;
  return {
    kind: 'Dataset',
    id: name,
    spec,
    status: {
      rows: replica.rows.live(),
      version: replica.visible,
      newest_version: replica.newest,
      as_of: pin?.asOf ?? replica.newestAt,
      lag_ms: Math.ceil(follower.lagMs()),
      kept_from: replica.keptFrom,
      memory_bytes: replica.rows.sizeBytes(),
      filterable: [...leavesOf(spec).values()].filter((leaf) => leaf.filterable).map(({ path }) => path),
      ...(pin && { pinned: pin }),
      ...(heldBy !== undefined && { held_by: heldBy }),
      ...(blocked && { blocked }),
      // An audit of an earlier declaration is not valid for this one.
      ...(audit && audit.version >= declaration.position && { dangling: audit }),
    },
    generation,
    updatedAt: at,
    updatedBy: actor,
  };
}

/** The tag contains a hash of the audit, which is shown but has no entry in the log, nor a time of its own. */
const etagOf = (
  { generation }: Declaration,
  { replica: { visible, position } }: LiveDataset,
  audit: ReferenceAudit | undefined,
): string => `"${generation}.${visible}.${position}.${audit === undefined ? 0 : shortHash(JSON.stringify(audit))}"`;

/** Compares `If-Match` with the generation alone, as rows change at any time. @throws write.precondition */
function checkOf(ctx: ReferenceContext): ((current: Declaration | undefined) => void) | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.headers;
  if (match === undefined && noneMatch === undefined) return undefined;
  return (current) => {
    const generation = current === undefined ? undefined : String(current.generation);
    const isAbsent = noneMatch?.trim() === '*' && current === undefined;
    const tags = match?.split(',').map((tag) => tag.trim()) ?? [];
    const isMatched = tags.some((tag) =>
      tag === '*' ? current !== undefined : /^"(\d+)\./.exec(tag)?.[1] === generation,
    );
    if (!isAbsent && !isMatched) {
      throw new SlipwayError(
        'write.precondition',
        'the declaration was changed: read it again, then send its ETag as If-Match',
        {
          members: { generation: current?.generation ?? null },
        },
      );
    }
  };
}
