import type { Candidate } from '../../platform/kinds/candidate.js';
import type { WritableKind } from '../../client/index.js';
import { readConnection, validateConnection } from '../../lifecycle/validation/connection-validation.js';
import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { readDeployment, validateDeployment } from '../../lifecycle/validation/deployment-validation.js';
import { objectLocation } from '../../lifecycle/kinds/object-location.js';
import {
  readPackagingIntegration,
  validatePackagingIntegration,
} from '../../lifecycle/validation/packaging-integration-validation.js';
import { readPackaging, validatePackaging } from '../../lifecycle/validation/packaging-validation.js';
import { readPipeline, validatePipeline } from '../../lifecycle/validation/pipeline-validation.js';
import {
  readToolchainIntegration,
  validateToolchainIntegration,
} from '../../lifecycle/validation/toolchain-integration-validation.js';
import { readTraining, validateTraining } from '../../lifecycle/validation/training-validation.js';
import type { ValidationContext, ValidationResult } from '../../lifecycle/validation/validation.js';

/** The server's own reading of a kind: what has a wrong type, what is wrong, and the spec with every default. */
export interface Judge {
  read(body: unknown): Candidate<object>;
  validate(body: unknown, judging: ValidationContext, stored: object | undefined): Promise<ValidationResult<object>>;
}

const judge = <Spec extends object>(
  read: (body: unknown) => Candidate<Spec>,
  validate: (
    candidate: Candidate<Spec>,
    judging: ValidationContext,
    stored: object | undefined,
  ) => Promise<ValidationResult<Spec>>,
): Judge => ({ read, validate: (body, judging, stored) => validate(read(body), judging, stored) });

/** What has no judge is judged by the server alone. */
export const JUDGES: Record<WritableKind, Judge | undefined> = {
  Connection: judge(readConnection, (candidate, judging, stored) =>
    validateConnection(candidate, leaveToServer(judging, candidate.spec), stored as ConnectionSpec | undefined),
  ),
  ToolchainIntegration: judge(readToolchainIntegration, validateToolchainIntegration),
  PackagingIntegration: judge(readPackagingIntegration, validatePackagingIntegration),
  ModelTraining: judge(readTraining, validateTraining),
  ModelPackaging: judge(readPackaging, validatePackaging),
  ModelDeployment: judge(readDeployment, validateDeployment),
  ModelPipeline: judge(readPipeline, validatePipeline),
  ModelRoute: undefined,
};

/** Which buckets need no credentials, and which folders may be read, only the server knows. */
function leaveToServer(judging: ValidationContext, spec: ConnectionSpec): ValidationContext {
  const rules = { ...judging.rules, ambientBuckets: [objectLocation(spec).bucket], localRepositories: ['/'] };
  return { ...judging, rules };
}
