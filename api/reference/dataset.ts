import { leavesOf } from '../../resources/dataset-leaves.js';
import { acceptDataset } from '../../resources/dataset-validation.js';
import { SlipwayError } from '../../resources/errors.js';
import { covers } from '../../resources/scope.js';
import type { Declaration } from '../../reference/replica.js';
import type { Datasets } from '../../stores/datasets.js';
import type { Declarations } from '../../stores/declarations.js';
import type { LiveDataset } from '../../stores/live-dataset.js';
import { readJson } from './body.js';
import { readQuery, toFlag } from './query.js';
import { isKnown } from './representation.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface DatasetRoutesOptions {
  datasets: Datasets;
  declarations: Declarations;
}

const LIMIT_BYTES = 256 * 1_024;

/** `GET, PUT, DELETE /v2/datasets[/{name}]`. */
export function createDatasetRoutes({ datasets, declarations }: DatasetRoutesOptions) {
  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { scopes } = ctx.state.client;
    ctx.body = {
      items: datasets.all().flatMap((dataset) => {
        const { declaration } = dataset.replica;
        if (declaration === undefined || !covers(scopes, `data:read:${dataset.name}`)) return [];
        return [toResource(dataset, declaration)];
      }),
    };
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { dataset, declaration } = datasets.get(ctx.params.name ?? '');
    if (!isKnown(ctx, etagOf(declaration, dataset))) ctx.body = toResource(dataset, declaration);
  };

  const put: ReferenceStep = async (ctx) => {
    const name = ctx.params.name ?? '';
    const { force } = readQuery(ctx, ['force']);
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const { spec } = acceptDataset(name, given);
    const { actor } = ctx.state.client;
    const check = checkOf(ctx);
    const declare = { name, spec, actor, force: toFlag('force', force), check };
    const { declaration, outcome } = await declarations.declare(declare);
    const { dataset } = datasets.get(name);
    ctx.status = outcome === 'created' ? 201 : 200;
    if (outcome === 'created') ctx.set('Location', `/v2/datasets/${name}`);
    ctx.set('ETag', etagOf(declaration, dataset));
    ctx.body = toResource(dataset, declaration);
  };

  const remove: ReferenceStep = async (ctx) => {
    const name = ctx.params.name ?? '';
    const { confirm } = readQuery(ctx, ['confirm']);
    datasets.get(name);
    if (confirm !== name) throw new SlipwayError('parameter.invalid', `confirm takes the name of the dataset, ${name}`);
    await declarations.drop({ name, actor: ctx.state.client.actor, check: checkOf(ctx) });
    ctx.status = 204;
  };

  return { list, read, put, remove };
}

/** The declaration in the envelope of every resource, with what is in memory as its status. */
export function toResource({ name, replica, follower }: LiveDataset, declaration: Declaration) {
  const { spec, generation, at, actor } = declaration;
  const { pin, heldBy } = replica;
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
    },
    generation,
    updatedAt: at,
    updatedBy: actor,
  };
}

const etagOf = ({ generation }: Declaration, { replica }: LiveDataset): string =>
  `"${generation}.${replica.visible}.${replica.newest}"`;

/** `If-Match` names the declaration alone: rows come and go meanwhile. @throws write.precondition */
function checkOf(ctx: ReferenceContext): ((current: Declaration | undefined) => void) | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.headers;
  if (match === undefined && noneMatch === undefined) return undefined;
  return (current) => {
    const generation = current === undefined ? undefined : String(current.generation);
    const isAbsent = noneMatch?.trim() === '*' && current === undefined;
    const tags = match?.split(',').map((tag) => tag.trim()) ?? [];
    const isMeant = tags.some((tag) =>
      tag === '*' ? current !== undefined : /^"(\d+)\./.exec(tag)?.[1] === generation,
    );
    if (!isAbsent && !isMeant) {
      throw new SlipwayError('write.precondition', 'the declaration is not as you expect', {
        members: { generation: current?.generation ?? null },
      });
    }
  };
}
