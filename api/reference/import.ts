import { randomBytes } from 'node:crypto';
import { SlipwayError } from '../../platform/kinds/errors.js';
import {
  type DatasetImport,
  IMPORT_FORMATS,
  type ImportFormat,
  importId,
  type ImportOptions,
  type ImportRuns,
  isOver,
  NO_COUNTS,
} from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Imports } from '../../reference/stores/imports.js';
import { hasBody } from '../http/body-bytes.js';
import { requireType } from '../http/exact-json.js';
import { invalid, quote, readQuery, toCount, toFlag } from '../http/parameters.js';
import { type ReferenceQuotas, withinQuota } from './quota.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface ImportRoutesOptions {
  datasets: Datasets;
  imports: Imports;
  runs: ImportRuns;
  quotas?: ReferenceQuotas | undefined;
  now?: () => Date;
}

const OPTION_NAMES = ['format', 'mode', 'dry_run', 'on_error', 'max_errors', 'announce'] as const;
const MAX_LISTED = 200;
const TYPES = Object.keys(IMPORT_FORMATS);
const MODES = ['upsert', 'insert_only', 'replace'] as const;
const ON_ERROR = ['stop', 'skip'] as const;
const ANNOUNCE = ['as_you_go', 'at_end'] as const;

/** `/v2/{dataset}/imports`: an upload in one call, or in parts that a client can resume. */
export function createImportRoutes({ datasets, imports, runs, quotas, now = () => new Date() }: ImportRoutesOptions) {
  async function load(ctx: ReferenceContext): Promise<DatasetImport> {
    readQuery(ctx, []);
    datasets.get(ctx.params.dataset ?? '');
    const given = await imports.get(ctx.params.id ?? '');
    if (given.dataset !== ctx.params.dataset)
      throw new SlipwayError(
        'import.not_found',
        `dataset "${ctx.params.dataset}" has no import "${given.id}": use the id that POST .../imports answered`,
      );
    return given;
  }

  const list: ReferenceStep = async (ctx) => {
    const { limit = '50' } = readQuery(ctx, ['limit']);
    const { dataset } = datasets.get(ctx.params.dataset ?? '');
    const found = await imports.list(dataset.name, toCount('limit', limit, { from: 1, to: MAX_LISTED }));
    // The rows that failed are in the import itself: up to a thousand of each.
    ctx.body = { items: found.map((each) => toResource({ ...each, errors: [] }, now())) };
  };

  async function send(ctx: ReferenceContext, given: DatasetImport, status: number): Promise<void> {
    ctx.status = status;
    ctx.set('Location', pathOf(given));
    ctx.body = {
      ...toResource(given, now()),
      offset: given.state === 'uploading' ? await imports.uploaded(given.id) : undefined,
    };
  }

  async function commit(given: DatasetImport): Promise<DatasetImport> {
    if (given.state === 'queued') {
      await runs.start(given);
      return given;
    }
    const queued: DatasetImport = { ...given, state: 'queued', size_bytes: await imports.uploaded(given.id) };
    await imports.put(queued);
    await runs.start(given);
    return queued;
  }

  const create: ReferenceStep = async (ctx) => {
    const dataset = ctx.params.dataset ?? '';
    const query = readQuery(ctx, OPTION_NAMES);
    datasets.get(dataset);
    const isUpload = hasBody(ctx);
    const format = isUpload ? IMPORT_FORMATS[requireType(ctx, TYPES)] : undefined;
    const given: DatasetImport = {
      id: importId(now(), randomBytes(6).toString('hex')),
      dataset,
      actor: ctx.state.client.actor,
      options: toOptions(query, format),
      state: 'uploading',
      created_at: now().toISOString(),
      counts: NO_COUNTS,
      errors: [],
      cursor: { offset: 0, line: 0 },
    };
    const wanted = { kind: 'Import', id: given.id, owner: given.actor } as const;
    await withinQuota(quotas, wanted, () => imports.begin(given));
    if (!isUpload) return send(ctx, given, 201);
    // Set before the upload, so that the client can resume it when the connection breaks.
    ctx.set('Location', pathOf(given));
    await imports.append(given.id, 0, ctx.req, sizeOf(ctx));
    await send(ctx, await commit(given), 202);
  };

  const append: ReferenceStep = async (ctx) => {
    const given = await load(ctx);
    if (given.state !== 'uploading') throw wrongState(given);
    const header = ctx.headers['upload-offset'];
    if (header === undefined)
      throw invalid('upload-offset', 'is missing: send the number of bytes that are uploaded already');
    const offset = toCount('upload-offset', String(header), { from: 0, to: Number.MAX_SAFE_INTEGER });
    const end = await imports.append(given.id, offset, ctx.req, sizeOf(ctx));
    ctx.set('upload-offset', String(end));
    await send(ctx, given, 200);
  };

  const start: ReferenceStep = async (ctx) => {
    const given = await load(ctx);
    if (given.state !== 'uploading' && given.state !== 'queued') throw wrongState(given);
    await send(ctx, await commit(given), 202);
  };

  const read: ReferenceStep = async (ctx) => send(ctx, await load(ctx), 200);

  const cancel: ReferenceStep = async (ctx) => {
    const given = await load(ctx);
    if (isOver(given)) throw wrongState(given);
    if (given.state === 'uploading') {
      await imports.discard(given.id);
      await imports.put({ ...given, state: 'canceled', ended_at: now().toISOString() });
    } else await runs.cancel(given.id);
    ctx.status = 204;
  };

  return { create, list, append, start, read, cancel };
}

/** The size that the request declares; 0 when it declares none. */
const sizeOf = ({ headers }: ReferenceContext): number => Number(headers['content-length'] ?? 0);

const pathOf = ({ dataset, id }: DatasetImport): string => `/v2/${dataset}/imports/${id}`;

const wrongState = ({ state }: DatasetImport): SlipwayError =>
  new SlipwayError('import.state', `the import is ${state}, which does not allow this: GET it for its state`, {
    members: { state },
  });

function toOptions(query: Partial<Record<(typeof OPTION_NAMES)[number], string>>, sent?: ImportFormat): ImportOptions {
  const { format = sent, mode, dry_run, on_error, max_errors, announce } = query;
  if (format === undefined)
    throw invalid('format', 'is missing: send format=ndjson or format=csv, or a body with its content type');
  if (format !== 'ndjson' && format !== 'csv')
    throw invalid('format', `${quote(format)} is not accepted: send ndjson or csv`);
  if (sent !== undefined && format !== sent)
    throw invalid('format', `${format} differs from the content type of the body: leave it out or send ${sent}`);
  return {
    format,
    mode: oneOf('mode', mode, MODES),
    dry_run: toFlag('dry_run', dry_run),
    on_error: oneOf('on_error', on_error, ON_ERROR),
    max_errors: max_errors === undefined ? 1_000 : toCount('max_errors', max_errors, { from: 1, to: 5_000_000 }),
    announce: oneOf('announce', announce, ANNOUNCE),
  };
}

function oneOf<Value extends string>(
  name: string,
  text: string | undefined,
  values: readonly [Value, ...Value[]],
): Value {
  if (text === undefined) return values[0];
  const value = values.find((each) => each === text);
  if (value === undefined) throw invalid(name, `${quote(text)} is not accepted: send ${values.join(', ')}`);
  return value;
}

function toResource(given: DatasetImport, now: Date) {
  const { id, dataset, options, state, message, counts, errors, created_at, started_at, ended_at, actor } = given;
  const until = ended_at === undefined ? now.getTime() : Date.parse(ended_at);
  const seconds = started_at === undefined ? 0 : (until - Date.parse(started_at)) / 1_000;
  return {
    kind: 'Import',
    id,
    dataset,
    spec: options,
    status: {
      state,
      ...(message !== undefined && { message }),
      ...counts,
      errors,
      ...(given.version_from !== undefined && { version_from: given.version_from }),
      ...(given.version_to !== undefined && { version_to: given.version_to }),
      ...(seconds > 0 && { rows_per_second: Math.round(counts.rows_read / seconds) }),
    },
    created_at,
    created_by: actor,
    ...(started_at !== undefined && { started_at }),
    ...(ended_at !== undefined && { ended_at }),
  };
}
