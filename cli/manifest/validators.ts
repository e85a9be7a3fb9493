import type { Candidate } from '../../platform/kinds/candidate.js';
import type { WritableKind } from '../../client/index.js';
import { readConnection, validateConnection } from '../../lifecycle/validation/connection-validation.js';
import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { readDeployment, validateDeployment } from '../../lifecycle/validation/deployment-validation.js';
import { bucketUri, objectLocation } from '../../lifecycle/kinds/object-location.js';
import {
  readPackagingIntegration,
  validatePackagingIntegration,
} from '../../lifecycle/validation/packaging-integration-validation.js';
import { createFindings } from '../../platform/kinds/findings.js';
import { readInferenceJob } from '../../lifecycle/validation/inference-job-validation.js';
import {
  readInferenceService,
  validateInferenceService,
} from '../../lifecycle/validation/inference-service-validation.js';
import { readPackaging, validatePackaging } from '../../lifecycle/validation/packaging-validation.js';
import { readPipeline, validatePipeline } from '../../lifecycle/validation/pipeline-validation.js';
import { readRoute, validateRoute } from '../../lifecycle/validation/route-validation.js';
import {
  readToolchainIntegration,
  validateToolchainIntegration,
} from '../../lifecycle/validation/toolchain-integration-validation.js';
import { readTraining, validateTraining } from '../../lifecycle/validation/training-validation.js';
import { referenceValidator } from './reference-validators.js';
import type { ValidationContext, ValidationResult } from '../../lifecycle/validation/validation.js';

/** Reads and validates a kind as the server does: findings, and the spec with every default. */
export interface Validator {
  read(body: unknown): Candidate<object>;
  validate(body: unknown, context: ValidationContext, stored: object | undefined): Promise<ValidationResult<object>>;
}

const validator = <Spec extends object>(
  read: (body: unknown) => Candidate<Spec>,
  validate: (
    candidate: Candidate<Spec>,
    context: ValidationContext,
    stored: object | undefined,
  ) => Promise<ValidationResult<Spec>>,
): Validator => ({ read, validate: (body, context, stored) => validate(read(body), context, stored) });

export const VALIDATORS: Record<WritableKind, Validator> = {
  Connection: validator(readConnection, (candidate, context, stored) =>
    validateConnection(candidate, leaveToServer(context, candidate.spec), stored as ConnectionSpec | undefined),
  ),
  ToolchainIntegration: validator(readToolchainIntegration, validateToolchainIntegration),
  PackagingIntegration: validator(readPackagingIntegration, validatePackagingIntegration),
  ModelTraining: validator(readTraining, validateTraining),
  ModelPackaging: validator(readPackaging, validatePackaging),
  ModelDeployment: validator(readDeployment, validateDeployment),
  ModelPipeline: validator(readPipeline, validatePipeline),
  InferenceService: validator(readInferenceService, validateInferenceService),
  // The rest follows from its service, as the server has it when the job is made.
  InferenceJob: validator(readInferenceJob, async (candidate) => ({
    issues: createFindings(candidate).all(),
    spec: candidate.spec,
  })),
  ModelRoute: validator(readRoute, (candidate) => validateRoute(candidate, LEFT_TO_SERVER)),
  Dataset: referenceValidator('Dataset'),
  ApiKey: referenceValidator('ApiKey'),
  Subscription: referenceValidator('Subscription'),
  Watch: referenceValidator('Watch'),
};

/** Only the server knows which deployments there are when the route is written, and which addresses are taken. */
const LEFT_TO_SERVER = { hasDeployment: async () => true, findOwner: async () => undefined };

/** Skips checks of buckets without credentials and of local folders: only the server knows these. */
function leaveToServer(context: ValidationContext, spec: ConnectionSpec): ValidationContext {
  const rules = { ...context.rules, ambientBuckets: [bucketUri(objectLocation(spec))], localRepositories: ['/'] };
  return { ...context, rules };
}
