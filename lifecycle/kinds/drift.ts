/** How predictions are held against what turned out to be true. */
export const DRIFT_MEASURES = ['classification-error', 'mean-absolute-error'] as const;
export type DriftMeasure = (typeof DRIFT_MEASURES)[number];

/**
 * The error of each pair; a list of predictions is held against a list of truths, item by item.
 * @returns `undefined` when the two cannot be compared
 */
export function errorsOf(measure: DriftMeasure, prediction: unknown, truth: unknown): number[] | undefined {
  const [predicted, true_] = [toList(prediction), toList(truth)];
  if (predicted.length !== true_.length || predicted.length === 0) return undefined;
  const errors = predicted.map((value, index) => errorOf(measure, value, true_[index]));
  return errors.every((error) => error !== undefined) ? errors : undefined;
}

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function errorOf(measure: DriftMeasure, prediction: unknown, truth: unknown): number | undefined {
  if (measure === 'mean-absolute-error') {
    return typeof prediction === 'number' && typeof truth === 'number' ? Math.abs(prediction - truth) : undefined;
  }
  // Labels come as text, number or boolean, and not always as the same: 1 and "1" are one class.
  return isLabel(prediction) && isLabel(truth) ? Number(String(prediction) !== String(truth)) : undefined;
}

const isLabel = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
