import type { DriftMeasure } from '../kinds/drift.js';

/** A model as feedback names it. Without `version`: every version of the name. */
export interface FeedbackModel {
  name: string;
  version?: string;
}

/** How far predictions are from what feedback says was true. Pointers are JSON Pointers (RFC 6901). */
export interface DriftQuestion {
  model: FeedbackModel;
  /** Feedback of the last so many milliseconds counts; at most 31 days. */
  windowMs: number;
  /**
   * `classification-error`: part of the predictions that differ from the truth, 0 to 1.
   * `mean-absolute-error`: mean of |prediction - truth|; both must be numbers.
   */
  measure: DriftMeasure;
  /** JSON pointer of the prediction in the response: `/prediction/0`. A list is compared item by item. */
  prediction: string;
  /** JSON pointer of the truth in the feedback: `/label`. */
  truth: string;
}

export interface Drift {
  /** `undefined` while there is no sample. */
  error: number | undefined;
  /** Pairs of prediction and truth in the window. */
  samples: number;
  /** Feedback in the window that names no call that is known. */
  orphaned: number;
  /** Feedback in the window whose prediction or truth is not where the pointers say, or of another type. */
  dropped: number;
}

/**
 * Counts of feedback for triggers. Each answer goes on from where the last one stopped, so that asking every minute
 * reads only what is new. Numbers follow the uploader: a record counts a minute or two after it was sent.
 * Errors: `unavailable` when a store does not answer; a repeat counts nothing twice.
 */
export interface FeedbackMeter {
  /**
   * How many feedback records of a model are new since a position.
   * @param since the `position` of an earlier answer; a time of the last hours (of the creation of a trigger, say)
   * counts what was uploaded from then on; `undefined` begins now, with a count of 0
   * @returns `position`: a number to keep (in a status, say) and to give back; it only grows. `position - count` is
   * the position of `since`
   */
  countSince(model: FeedbackModel, since: number | Date | undefined): Promise<{ count: number; position: number }>;
  /**
   * The error of the window that ends now. The first feedback of a call counts, if it comes within a week. The first
   * time a question is asked no more than the last day is read, so a longer window fills as time goes on.
   */
  drift(question: DriftQuestion): Promise<Drift>;
}
