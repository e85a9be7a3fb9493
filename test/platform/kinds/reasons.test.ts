import { expect, test } from 'vitest';
import { failureIn, runFailed } from '../../../platform/kinds/reasons.js';

test('a message that quotes a megabyte is cut, in the error and in its failure', () => {
  const err = runFailed({ reason: 'SourceCheckoutFailed', message: `no reference "${'x'.repeat(1_000_000)}"` });
  expect(err.message).toHaveLength(4_003);
  expect(failureIn(err)).toMatchObject({ reason: 'SourceCheckoutFailed', message: err.message });
});
