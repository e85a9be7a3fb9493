/** The types of triggers. */
export const TRIGGERS = ['api', 'schedule', 'feedback', 'drift', 'data', 'webhook'] as const;
export type TriggerType = (typeof TRIGGERS)[number];

/** Why a run was made. */
export interface Trigger {
  type: TriggerType;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** The caller, if the run was started by a call. */
  by?: string;
  /** One sentence for people. */
  message?: string;
  /** The idempotency key of the start: the workflow that a schedule started, the id of a webhook's message. */
  key?: string;
  /** How far the trigger has come with this run. */
  position?: string;
}
