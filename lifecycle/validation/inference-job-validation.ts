import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { InferenceJobSpec } from '../kinds/inference-job.js';
import type { InferenceService, StoredFolder } from '../kinds/inference-service.js';
import { atPath, bucketUri, isObjectStore, objectLocation } from '../kinds/object-location.js';
import { invalidBatch } from './inference-service-validation.js';
import { checkNodeSelector, missing } from './placement-checks.js';
import { checkCeilings, checkQuantities, checkRequests } from './resource-checks.js';
import { checkStoredFolder } from './stored-folder-checks.js';
import { cachedLookups, type Lookups, type ValidationContext } from './validation.js';

/** The name of a job in messages, which has no id yet. */
const NEW_JOB = 'job';

export const readInferenceJob = (body: unknown): Candidate<InferenceJobSpec> =>
  readCandidate('InferenceJob', InferenceJobSpec, body);

/**
 * Reads and validates a body (management API, 3.8). @returns the spec, with what it leaves out taken from its service
 * @throws bad_json, validation_failed
 */
export async function acceptInferenceJob(
  body: unknown,
  { lookups, rules }: ValidationContext,
  findService: (id: string) => Promise<InferenceService | undefined>,
): Promise<InferenceJobSpec> {
  const candidate = readInferenceJob(body);
  const findings = createFindings(candidate);
  const service = await checkService(findings, candidate.spec.inferenceServiceId, findService);
  if (service === undefined) throw invalidBatch(NEW_JOB, findings.all());
  const spec = inherit(candidate.spec, service);
  const context = { lookups: cachedLookups(lookups), rules };
  for (const field of ['dataSource', 'outputDestination'] as const) {
    const isMisfit = findings.misfit(`spec.${field}.connection`);
    const message = `connection from "${field}" must be non-empty: name it in the job or in its service`;
    if (!isMisfit && !spec[field].connection) findings.add(`spec.${field}.connection`, 'required', message);
    await checkStoredFolder(findings, field, spec[field], context);
  }
  await checkApart(findings, spec, context.lookups);
  checkQuantities(findings, spec.resources);
  checkNodeSelector(findings, spec.nodeSelector, rules.nodePools);
  checkRequests(findings, spec.resources);
  checkCeilings(findings, spec.resources, rules);
  const issues = findings.all();
  if (issues.length > 0) throw invalidBatch(NEW_JOB, issues);
  return spec;
}

/** @returns the service of which a job can be made */
async function checkService(
  findings: Findings,
  id: string,
  findService: (id: string) => Promise<InferenceService | undefined>,
): Promise<InferenceService | undefined> {
  const path = 'spec.inferenceServiceId';
  if (findings.misfit(path)) return undefined;
  if (id === '') findings.add(path, 'required', 'service must be non-empty');
  if (id === '') return undefined;
  const service = await findService(id);
  if (service === undefined) {
    findings.add(path, 'not_found', `unable to fetch corresponding service: ${missing(id)}`);
  } else if (!service.spec.triggers.webhook.enabled) {
    findings.add(path, 'webhook_disabled', `InferenceService: ${id} webhook trigger is disabled`);
    return undefined;
  }
  return service;
}

/** Else the next job would find the output of this one among its files. */
async function checkApart(
  findings: Findings,
  { dataSource, outputDestination }: Pick<InferenceJobSpec, 'dataSource' | 'outputDestination'>,
  lookups: Lookups,
): Promise<void> {
  const [source, target] = await Promise.all([addressOf(dataSource, lookups), addressOf(outputDestination, lookups)]);
  if (source === undefined || !target?.startsWith(source)) return;
  const message = 'outputDestination lies within dataSource, so that the next job would predict it: give another path';
  findings.add('spec.outputDestination', 'invalid', message);
}

/** Bucket and path, whatever the connection that leads there. */
async function addressOf({ connection, path }: StoredFolder, lookups: Lookups): Promise<string | undefined> {
  const found = connection === undefined ? undefined : await lookups.connection(connection);
  if (found === undefined || !isObjectStore(found.spec.type)) return undefined;
  const location = objectLocation(atPath(found.spec, path));
  return `${[bucketUri(location), location.path].filter(Boolean).join('/')}/`;
}

function inherit(job: InferenceJobSpec, { spec: service }: InferenceService) {
  return {
    ...job,
    dataSource: folderOf(job.dataSource, service.dataSource),
    outputDestination: folderOf(job.outputDestination, service.outputDestination),
    nodeSelector: Object.keys(job.nodeSelector).length > 0 ? job.nodeSelector : service.nodeSelector,
    resources: job.resources ?? service.resources,
  };
}

/** A path alone is one of the service's connection; another connection does not have the service's path. */
function folderOf(own: StoredFolder, inherited: StoredFolder): StoredFolder {
  if (own.connection !== undefined) return own;
  return own.path === undefined ? inherited : { connection: inherited.connection, path: own.path };
}
