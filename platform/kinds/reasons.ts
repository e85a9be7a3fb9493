import { SlipwayError } from './errors.js';

/** Why a run or a deployment failed: `status.reason` (management API, section 1.2). One word each; `status.message` has the sentence. */
// prettier-ignore
export const REASONS = {
  SourceCheckoutFailed: { retryable: false }, // repository, reference, key or workDir
  DataCopyFailed:       { retryable: false },
  ToolchainFailed:      { retryable: false }, // the project, its dependencies or the user's own program
  SelfCheckFailed:      { retryable: false }, // the artifact or the image does not answer its own sample
  ArtifactNotFound:     { retryable: false },
  PredictionFailed:     { retryable: false }, // the program of a batch job failed, or left no output
  PackagerFailed:       { retryable: false },
  PushFailed:           { retryable: false },
  ImagePullFailed:      { retryable: false },
  ImageRefused:         { retryable: false }, // the policy wants a signed statement of its origin
  CrashLoop:            { retryable: false },
  ProbeFailed:          { retryable: false },
  OutOfMemory:          { retryable: false },
  OutOfStorage:         { retryable: false }, // the files of its container passed their limit
  NoCapacity:           { retryable: true  },
  Timeout:              { retryable: false },
  Evicted:              { retryable: false }, // killed from outside, or the engine lost it
  Cancelled:            { retryable: false },
  SpecInvalid:          { retryable: false }, // templates, filled in, or what the spec names are valid no more
  GateFailed:           { retryable: false }, // the model is not good enough, or its metrics are unknown
  RolledBack:           { retryable: false }, // its rollout was aborted, or the calls to it went badly
  Rejected:             { retryable: false }, // a person said no
  Conflict:             { retryable: false }, // another owner's resource has the id, or changed it meanwhile
  Protected:            { retryable: false }, // the deployment is changed by another pipeline or by admins only
  QuotaExceeded:        { retryable: false }, // until the owner or an operator frees something
  Internal:             { retryable: true  },
} as const satisfies Record<string, { retryable: boolean }>;
export type Reason = keyof typeof REASONS;

/** Where a run is, and after a failure where it gave up. */
export interface Failure {
  reason: Reason;
  /** One human sentence with the last useful log line. */
  message: string;
  /** The activity that gave up. */
  step?: string;
  exitCode?: number;
  /** The last 50 lines, at most 8 KiB. */
  logTail?: string;
}

/** A message quotes what a user sent, which may be as long as a request; a history keeps it for each attempt. */
const LONGEST_MESSAGE = 4_000;

/** A step that gave up for good: its reason and sentence reach the status, the Web UI and the log. */
export function runFailed(failure: Failure, cause?: unknown): SlipwayError {
  const isLong = failure.message.length > LONGEST_MESSAGE;
  const message = isLong ? `${failure.message.slice(0, LONGEST_MESSAGE)}...` : failure.message;
  return new SlipwayError('run_failed', message, { detail: { ...failure, message }, cause });
}

/** The failure inside a `run_failed` error; anything else has none. */
export function failureIn(err: unknown): Failure | undefined {
  if (!(err instanceof SlipwayError) || err.code !== 'run_failed') return undefined;
  return { ...(err.detail as Omit<Failure, 'message'>), message: err.message };
}
