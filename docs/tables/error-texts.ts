import type { ErrorCode } from '../../platform/kinds/errors.js';
import type { Reason } from '../../platform/kinds/reasons.js';

interface CauseAndRemedy {
  cause: string;
  remedy: string;
}

type ManagementCode = Exclude<ErrorCode, `${string}.${string}`>;

/** Codes without a dot: the management API, the gateway, and both ends of a run. */
// prettier-ignore
export const MANAGEMENT_ERROR_TEXTS: Readonly<Record<ManagementCode, CauseAndRemedy>> = {
  validation_failed:    { cause: 'The body, a field or a setting is invalid', remedy: 'Correct every entry of `errors`: each has a path and a message.' },
  bad_json:             { cause: 'The body is no JSON', remedy: 'Correct the body at the position in the message.' },
  bad_query:            { cause: 'A query parameter or a claim of the token is invalid', remedy: 'Correct the parameter that the message names.' },
  api_disabled:         { cause: 'The installation takes no changes of this group', remedy: 'Ask its operator: `SLIPWAY_DISABLED_GROUPS` lists the groups.' },
  connection_vital:     { cause: 'The platform itself needs this connection', remedy: 'Change it instead of deleting it.' },
  unauthenticated:      { cause: 'The token is missing, expired or from another issuer', remedy: 'Get a new token: `slipway login`, or the token endpoint of the issuer.' },
  quota_exceeded:       { cause: 'The owner or the installation holds as much as the quota allows', remedy: 'Wait for runs to end or remove deployments; `slipway quota` shows the usage, SLIPWAY_OWNER_QUOTA and SLIPWAY_QUOTA set the limits.' },
  forbidden:            { cause: 'The role of the token does not allow this', remedy: 'Use a client with the role that the message names; `slipway whoami` shows yours.' },
  not_found:            { cause: 'The path or the resource does not exist', remedy: 'List the resources of the kind: `slipway get trainings`.' },
  method_not_allowed:   { cause: 'The path does not take this method', remedy: 'Use a method of the header `Allow`.' },
  too_slow:             { cause: 'The body of a request to a model arrives too slowly', remedy: 'Send it faster or in smaller parts; `SLIPWAY_BODY_SECONDS` is the limit.' },
  already_exists:       { cause: 'A resource of this kind has the id', remedy: 'Choose another id, or change the resource with PUT or `slipway apply`.' },
  in_use:               { cause: 'Other resources refer to this one', remedy: 'Delete or change the resources that the message names first.' },
  protected:            { cause: 'The deployment is protected, and the admin did not confirm', remedy: 'Repeat with the header `Override-Protection: <id>`, or `--override-protection`, if the change is meant.' },
  deleting:             { cause: 'The deployment is being deleted', remedy: 'Wait until a GET answers 404, then create it again.' },
  not_started:          { cause: 'There is no log yet', remedy: 'Read the log with `follow=true`: it waits for the first line.' },
  already_finished:     { cause: 'The run has ended, or a newer run exists', remedy: 'Start a new run.' },
  not_finished:         { cause: 'The run, or another run of the pipeline, is still in progress', remedy: 'Wait for its end, or cancel it.' },
  not_waiting:          { cause: 'The run waits for no approval, or was decided already', remedy: 'GET the run: `status.approval` has the decision.' },
  conflict:             { cause: 'Another write of the same resource was first', remedy: 'Repeat the request.' },
  revision_mismatch:    { cause: '`If-Match` names an older generation', remedy: 'Read the resource again, then decide.' },
  too_large:            { cause: 'The body is larger than the limit', remedy: 'Send less; `SLIPWAY_BODY_LIMIT_MIB` limits inference requests.' },
  idempotency_mismatch: { cause: 'The Idempotency-Key was used with another body', remedy: 'Send a new key for a new request.' },
  stale_generation:     { cause: 'A newer generation of the resource exists', remedy: 'Read the resource: its newest generation has a run of its own.' },
  run_failed:           { cause: 'A step of a run failed for good', remedy: 'Read `status.reason` below and the log of the run.' },
  bad_gateway:          { cause: 'The replica broke off its reply, or a record could not be written', remedy: 'Repeat the request; `slipway logs deployment/<id>` shows the replica.' },
  gateway_timeout:      { cause: 'The model did not answer in time', remedy: 'Send fewer rows, or give the deployment more replicas or CPU.' },
  no_replica:           { cause: 'No replica of the deployment runs or can be reached', remedy: 'Repeat after `Retry-After`; `slipway describe deployment <id>` says why.' },
  unavailable:          { cause: 'A backing service does not answer, or too many large requests are in progress', remedy: 'Repeat after `Retry-After`.' },
  storage_refused:      { cause: 'The object storage refuses an object', remedy: 'The log of the service has the reply of the storage.' },
  storage_denied:       { cause: 'The object storage does not accept the credentials of the platform', remedy: 'Give the platform access to `SLIPWAY_BUCKET`; the work is repeated.' },
  disk_full:            { cause: 'The database, the object storage or the server has no disk space left', remedy: 'Free space where the message says, then repeat the request; reads continue.' },
  internal:             { cause: 'An unexpected error', remedy: 'Search the log of the service for the `requestId` of the reply.' },
};

/** `status.reason` of a failed training, packaging, pipeline run or deployment. */
// prettier-ignore
export const REASON_TEXTS: Readonly<Record<Reason, CauseAndRemedy>> = {
  SourceCheckoutFailed: { cause: 'The repository, the reference, the key or `workDir` is wrong', remedy: 'Correct the connection or the training; the message names the part.' },
  DataCopyFailed:       { cause: 'Data of a binding cannot be read, or feedback has no rows', remedy: 'Correct the binding, or set `allowEmpty`.' },
  ToolchainFailed:      { cause: 'The program, its environment or its `MLproject` failed', remedy: 'Read the end of the log: `slipway logs training/<id> --tail 50`.' },
  SelfCheckFailed:      { cause: 'The model does not answer its own sample', remedy: 'Compare the sample with what the model takes; the log has the exception.' },
  ArtifactNotFound:     { cause: 'The training logged no model, or the artifact is gone', remedy: 'Log a model with MLflow, or train again.' },
  PackagerFailed:       { cause: 'The image cannot be made: an argument, the base image or the registry connection', remedy: 'Correct what the message names.' },
  PushFailed:           { cause: 'The registry or the object storage refused the result', remedy: 'Check the connection of the target and its credentials.' },
  ImagePullFailed:      { cause: 'The image does not exist or cannot be read', remedy: 'Check its name, and the connection of its registry.' },
  ImageRefused:         { cause: 'No valid statement says that this installation made the image, and the image policy wants one', remedy: 'Package the model here, or choose another `imagePolicy`; `slipway verify IMAGE` says more.' },
  CrashLoop:            { cause: 'The container ends again and again', remedy: 'Read its log: `slipway logs deployment/<id> --previous`.' },
  ProbeFailed:          { cause: 'A replica did not get ready, or does not describe its model', remedy: 'Read its log; slow starts need a higher `SLIPWAY_READY_TIMEOUT`.' },
  OutOfStorage:         { cause: 'The files of the container passed `SLIPWAY_MAX_JOB_DISK_GIB`', remedy: 'Write less, or ask an operator to raise the limit.' },
  OutOfMemory:          { cause: 'The container passed its memory limit', remedy: 'Raise `resources.limits.memory`.' },
  NoCapacity:           { cause: 'The engine has no memory, disk, port or network left', remedy: 'Free some: the step is repeated by itself.' },
  Timeout:              { cause: 'The step, the run or the approval passed its time limit', remedy: 'Raise its limit, such as `SLIPWAY_TRAINING_TIMEOUT`.' },
  Evicted:              { cause: 'The container was killed or removed from outside', remedy: 'Run it again: `slipway rerun training/<id>`.' },
  Cancelled:            { cause: 'A person canceled it, or a newer generation took over', remedy: 'None needed; `slipway rerun` starts it again.' },
  SpecInvalid:          { cause: 'The templates of the pipeline, filled in, make no valid spec, or a training may not have a secret that it names', remedy: 'Correct the template, the parameter or the connection that the message names.' },
  GateFailed:           { cause: 'The model does not pass a gate, or lacks the metric', remedy: 'Compare the numbers in `status.gates`; the deployment is unchanged.' },
  Rejected:             { cause: 'A person rejected the run', remedy: 'Read the reason in `status.approval`.' },
  Conflict:             { cause: 'Another owner has the id, or the resource was changed or removed during the run', remedy: 'Rename one of the two, or start the run again.' },
  Protected:            { cause: 'The deployment is protected, and this pipeline is not the one that may change it', remedy: 'Run the pipeline that its `pipeline` names, or ask an admin to change it.' },
  RolledBack:           { cause: 'The rollout was aborted, or the calls to the new revision went worse than those to the one before; the message has the numbers', remedy: 'Find the failed calls in the log of the deployment, then apply a corrected image; the former revision serves on.' },
  QuotaExceeded:        { cause: 'The owner or the installation holds as much as the quota allows', remedy: 'Wait for runs to end or remove deployments, then retry the run; `slipway quota` shows the usage.' },
  Internal:             { cause: 'An unexpected error of the platform', remedy: 'The step in `status.step` is repeated; the log of the worker has the cause.' },
};

/** Errors without a reply of the server. */
// prettier-ignore
export const CLIENT_ERROR_TEXTS: Readonly<Record<string, CauseAndRemedy>> = {
  unreachable:  { cause: 'Nothing answers at the address', remedy: 'Check `--server` and that the platform runs.' },
  login_failed: { cause: 'The issuer gives no token for these credentials', remedy: 'Check client id and secret: `slipway login`.' },
  not_slipway:  { cause: 'Another service answers at the address', remedy: 'Check the address: it is that of the gateway.' },
  timeout:      { cause: 'The wait took longer than its limit', remedy: 'The run continues: `slipway wait` follows it again.' },
};
