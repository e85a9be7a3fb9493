/** Figures of a model on a stored sample set, and which of two values is the better one. */
export const HELD_OUT_METRICS = ['accuracy', 'meanAbsoluteError', 'rootMeanSquaredError'] as const;
export type HeldOutMetric = (typeof HELD_OUT_METRICS)[number];

/** @returns the figure of predictions against what was expected, row by row. Both have the same length, at least 1. */
export function heldOutFigure(
  metric: HeldOutMetric,
  predicted: readonly unknown[],
  expected: readonly unknown[],
): number {
  const mean = (of: (at: number) => number): number =>
    expected.reduce((sum: number, _, at) => sum + of(at), 0) / expected.length;
  const error = (at: number): number => Number(predicted[at]) - Number(expected[at]);
  switch (metric) {
    case 'accuracy':
      return mean((at) => (String(predicted[at]) === String(expected[at]) ? 1 : 0));
    case 'meanAbsoluteError':
      return mean((at) => Math.abs(error(at)));
    case 'rootMeanSquaredError':
      return Math.sqrt(mean((at) => error(at) ** 2));
  }
}
