import { expect, test } from 'vitest';
import { heldOutFigure } from '../../../lifecycle/kinds/held-out.js';

test('accuracy is the share of equal answers, as words', () => {
  expect(heldOutFigure('accuracy', ['red', 'white', 1, true], ['red', 'red', '1', 'true'])).toBe(0.75);
  expect(heldOutFigure('accuracy', [null], ['x'])).toBe(0);
});

test('errors are means over the rows', () => {
  expect(heldOutFigure('meanAbsoluteError', [1, '2', 5], [2, 2, 1])).toBeCloseTo(5 / 3);
  expect(heldOutFigure('rootMeanSquaredError', [0, 0], [3, 4])).toBeCloseTo(Math.sqrt(12.5));
});

test('an answer that is no number makes an error that passes no limit', () => {
  for (const metric of ['meanAbsoluteError', 'rootMeanSquaredError'] as const) {
    expect(heldOutFigure(metric, ['red', 1], [1, 1])).toBeNaN();
    expect(heldOutFigure(metric, [undefined, 1], [1, 1])).toBeNaN();
  }
});
