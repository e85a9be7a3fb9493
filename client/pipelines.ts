import type { Client } from 'openapi-fetch';
import { createEntities } from './entities.js';
import { SlipwayApiError } from './errors.js';
import type { Entity, EntityRequest } from './kinds.js';
import type { components, paths } from './openapi.js';
import { createReader, readPages } from './reader.js';
import type { CallOptions } from './reader.js';

type Run = Entity<'PipelineRun'>;
type Schedule = components['schemas']['PipelineSchedule'];

/** Options of a run that override its pipeline. */
export interface RunRequest {
  /** Values instead of the pipeline's own. */
  parameters?: Record<string, string>;
  /** Version of the model. */
  version?: string;
  /** Reuse nothing that earlier runs made. */
  noCache?: boolean;
}

const RUN = '/api/v1/model/pipeline/{id}/run/{number}';

/** Runs of pipelines; the id of one is `<pipeline>-<number>`. */
export function createPipelineRuns(http: Client<paths>) {
  const pipelines = createEntities(http, 'ModelPipeline');

  const listOf = (id: string, { signal }: CallOptions): Promise<Run[]> =>
    readPages(async (query) => {
      const { data = [] } = await http.GET('/api/v1/model/pipeline/{id}/run', {
        params: { path: { id }, query },
        signal,
      });
      return data;
    });

  const reader = createReader<'PipelineRun'>({
    kind: 'PipelineRun',
    /** Filters `pipeline` and `state`; without the first those of every pipeline. Newest first. */
    async list(filters = {}, options = {}) {
      const { pipeline, state, ...others } = filters;
      const [unknown] = Object.keys(others);
      if (unknown !== undefined) {
        throw new SlipwayApiError('bad_query', `runs are filtered by pipeline and state, not by ${unknown}`);
      }
      const ids = pipeline ?? (await pipelines.list({}, options)).map(({ id }) => id);
      const runs = [];
      for (const id of ids) runs.push(...(await listOf(id, options)));
      return runs.filter(({ status }) => state?.includes(status.state) ?? true);
    },
    async getChanged(id, etag, { signal } = {}) {
      const header = etag === undefined ? {} : { 'If-None-Match': etag };
      const { data, response } = await http.GET(RUN, { params: { path: splitRunId(id), header }, signal });
      return data && { entity: data, etag: response.headers.get('etag') ?? '' };
    },
  });

  const decide =
    (decision: 'approve' | 'reject') =>
    async (id: string, reason: string, { signal }: CallOptions = {}): Promise<void> => {
      await http.POST(`${RUN}/${decision}`, { params: { path: splitRunId(id) }, body: { reason }, signal });
    };

  return {
    ...reader,
    /** @throws validation_failed, not_found, conflict */
    async start(pipeline: string, body: RunRequest = {}, { signal }: CallOptions = {}): Promise<Run> {
      const params = { path: { id: pipeline } };
      const { data } = await http.POST('/api/v1/model/pipeline/{id}/run', { params, body, signal });
      return data as Run; // a reply without one is an error, which is thrown
    },
    /** @throws already_finished */
    async cancel(id: string, { signal }: CallOptions = {}): Promise<void> {
      await http.POST(`${RUN}/cancel`, { params: { path: splitRunId(id) }, signal });
    },
    /** Goes on at the step that failed, by another spec where one is given. @throws not_finished, already_finished, conflict */
    async retry(id: string, spec?: EntityRequest<'ModelPipeline'>['spec'], { signal }: CallOptions = {}): Promise<Run> {
      const params = { path: splitRunId(id) };
      const { data } = await http.POST(`${RUN}/retry`, { params, body: spec === undefined ? {} : { spec }, signal });
      return data as Run;
    },
    /** @throws forbidden, conflict when it does not wait for an approval */
    approve: decide('approve'),
    /** @throws forbidden, conflict when it does not wait for an approval */
    reject: decide('reject'),
  };
}

/** The schedules of pipelines. Every call answers the schedule as it is then. @throws not_found */
export function createSchedules(http: Client<paths>) {
  const path = '/api/v1/model/pipeline/{id}/schedule';
  const at = (id: string, { signal }: CallOptions = {}) => ({ params: { path: { id } }, signal });
  return {
    get: async (id: string, options?: CallOptions) => (await http.GET(path, at(id, options))).data as Schedule,
    pause: async (id: string, note: string, options?: CallOptions) =>
      (await http.POST(`${path}/pause`, { ...at(id, options), body: { note } })).data as Schedule,
    resume: async (id: string, options?: CallOptions) =>
      (await http.POST(`${path}/resume`, at(id, options))).data as Schedule,
    trigger: async (id: string, options?: CallOptions) =>
      (await http.POST(`${path}/trigger`, at(id, options))).data as Schedule,
  };
}

/** @throws not_found when it is no id of a run */
function splitRunId(runId: string): { id: string; number: number } {
  const [, id, number] = /^(.+)-([1-9]\d{0,8})$/.exec(runId) ?? [];
  if (id !== undefined && number !== undefined) return { id, number: Number(number) };
  throw new SlipwayApiError('not_found', `"${runId}" is no run of a pipeline; one is named like wine-3`);
}
