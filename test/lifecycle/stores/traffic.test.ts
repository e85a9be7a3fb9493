import { expect, test } from 'vitest';
import type { IndexRow } from '../../../lifecycle/stores/index-file.js';
import { sumTraffic, trafficOf } from '../../../lifecycle/stores/traffic.js';

const of = { model: 'wine/red', version: '1', key: 'k', part: 'p' };
const feedback = (records: number): IndexRow => ({ ...of, kind: 'feedback', records });
const call = (records: number, deploymentUid?: string): IndexRow => ({
  ...{ ...of, kind: 'call', deployment: 'wine', generation: 2, records },
  ...(deploymentUid !== undefined && { deploymentUid }),
});

test('calls count for a generation of a deployment, feedback for a version of a model', () => {
  expect(trafficOf([call(2, 'uid-1'), feedback(5), call(3, 'uid-1'), call(1)])).toEqual({
    calls: new Map([
      ['uid-1/2', 5],
      ['/2', 1],
    ]),
    feedback: new Map([['wine%2Fred/1', 5]]),
  });
});

test('the traffic of several files is added up and theirs is left as it is', () => {
  const part = trafficOf([call(2, 'uid-1'), feedback(1)]);
  expect(sumTraffic([part, part, trafficOf([feedback(4)])])).toEqual({
    calls: new Map([['uid-1/2', 4]]),
    feedback: new Map([['wine%2Fred/1', 6]]),
  });
  expect(part.calls.get('uid-1/2')).toBe(2);
});
