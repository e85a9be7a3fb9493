import { SlipwayError } from '../../platform/kinds/errors.js';
import { datasetNameProblem } from '../../reference/dataset/dataset-names.js';

/** The name of a dataset: another word would be another path of the API. @throws validation_failed */
export function parseDataset(text: string): string {
  const problem = datasetNameProblem(text);
  if (problem === undefined) return text;
  throw new SlipwayError(
    'validation_failed',
    `dataset "${text}": ${problem}; "slipway get datasets" shows those there are`,
  );
}
