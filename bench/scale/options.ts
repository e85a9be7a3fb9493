import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('must be a whole number above 0');
}
