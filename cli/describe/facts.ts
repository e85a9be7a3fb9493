import { stateOf, type Entity } from '../../client/index.js';
import { age, clock, duration } from '../output/time.js';
import { ownFacts, type Fact } from './own-facts.js';

/** The facts that `describe` prints first. */
export function factsOf(entity: Entity, now: number): Fact[] {
  const { status, generation, createdAt, createdBy, updatedAt, updatedBy } = entity;
  const facts: Fact[] = [
    ['state', stateOf(entity)],
    ['reason', 'reason' in status ? (status.reason ?? '') : ''],
    ['message', 'message' in status ? (status.message ?? '') : ''],
    ['step', 'step' in status ? (status.step ?? '') : ''],
    ['exit code', 'exitCode' in status && status.exitCode ? String(status.exitCode) : ''],
    ['took', tookOf(status, now)],
    ...ownFacts(entity),
    ['created', createdAt === undefined ? '' : `${clock(createdAt)} by ${createdBy} (${age(createdAt, now)} ago)`],
    [
      'changed',
      generation > 1 || updatedAt !== createdAt ? `${clock(updatedAt)} by ${updatedBy}, generation ${generation}` : '',
    ],
    ['workflow', 'workflowId' in status ? (status.workflowId ?? '') : ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

function tookOf(status: Entity['status'], now: number): string {
  if (!('startedAt' in status) || status.startedAt === undefined) return '';
  const end = status.finishedAt === undefined ? now : Date.parse(status.finishedAt);
  return duration(end - Date.parse(status.startedAt));
}
