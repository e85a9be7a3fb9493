import { expect, test } from 'vitest';
import { atPath, platformFolders, readProblem, wholeBucket } from '../../../lifecycle/kinds/object-location.js';

const at = (uri: string) => ({ type: 'object-store', uri });
const RULES = { ambientBuckets: [], ownBucket: 'gs://own', closedFolders: platformFolders('/rec/a/') };

// prettier-ignore
test.each([
  ['gs://b',        'x/y',      'gs://b/x/y'],
  ['gs://b/c//',    './x//y/',  'gs://b/c/x/y'],
  ['b/c',           'x',        'b/c/x'],
  ['gs://b/c/',     './',       'gs://b/c/'],
  ['gs://b/c',      undefined,  'gs://b/c'],
])('%s at %s is %s', (uri, path, joined) => expect(atPath(at(uri), path).uri).toBe(joined));

test.each([
  ['gs://b//c/d', 'gs://b'],
  ['b/c', 'gs://b'],
  ['az://account/container/x', 'az://account/container'],
  ['gs://b', 'gs://b'],
])('the bucket of %s is %s', (uri, bucket) => expect(wholeBucket(at(uri)).uri).toBe(bucket));

// prettier-ignore
const CLOSED = [
  ['gs://own', 'workspaces'], ['own', './logs/'], ['gs://own/logs', 'training'], ['gs://own/imports/x', undefined], ['gs://own', undefined],
  ['gs://own', 'rec'], ['gs://own/rec', 'a/feedback/wine'], ['gs://own/', 'snapshots//datasets'],
] as const;
test.each(CLOSED)('%s at %s is closed', (uri, path) =>
  expect(readProblem(at(uri), path, RULES)).toMatch(/^.* holds ".*", which the platform keeps for itself/),
);

// prettier-ignore
test.each([
  ['gs://own', 'workspaces2'], ['gs://own/samples', 'workspaces'], ['gs://other', 'workspaces'], ['gs://other', undefined],
  ['gs://own', 'rec/b'], ['gs://own', 'feedback'], ['gs://other/x', 'a..b/...'],
])('%s at %s is open', (uri, path) => expect(readProblem(at(uri), path, RULES)).toBeUndefined());

test.each(['..', '../x', 'x/..', 'x/../../y'])('the path %s leads out', (path) =>
  expect(readProblem(at('gs://b/c'), path, RULES)).toContain('leads out of the path of the connection'),
);
