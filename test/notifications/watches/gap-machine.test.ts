import { expect, test } from 'vitest';
import {
  createGapMachine,
  type GapRules,
  type Observation,
  type GapEvent,
} from '../../../notifications/watches/gap-machine.js';

const START = Date.UTC(2026, 1, 11);
const MINUTE = 60_000;
const RULES: GapRules = {
  period: 'PT10M',
  grace: 'PT2M',
  late_notice: true,
  rearm: { mode: 'next_change', every: null, max: 10 },
  recovery_notice: true,
  closed_notice: true,
  on_resume: 'judge',
  counts: { dwell: null },
};

/** One watch over entity 1, whose gap begins at minute 0 with version 3; input and output are in minutes. */
function watch(more: Partial<GapRules> = {}) {
  const lines: string[] = [];
  const tell = ({ kind, gap, repeat, at, missed }: GapEvent): void => {
    const words = [kind, `v${gap}`, `${(at - START) / MINUTE}m`];
    lines.push([...words, ...(repeat ? [`again ${repeat}`] : []), ...(missed ? [`missed ${missed}`] : [])].join(' '));
  };
  const machine = createGapMachine({ ...RULES, ...more }, tell);
  machine.arm({ id: 1n, version: 3 }, { gap: 3, since: START });
  let version = 3;
  return {
    lines,
    machine,
    pass: (minute: number) => machine.advance(START + minute * MINUTE),
    change: (minute: number, seen: Partial<Observation> = {}) => {
      version += 1;
      const observation = { id: 1n, version, member: true, counts: true, dwells: true, ...seen };
      machine.observe(observation, START + minute * MINUTE);
    },
    view: () => machine.view(1n),
  };
}

test('late at the end of the period, absent behind the grace, resumed with what was missed', () => {
  const { lines, pass, change } = watch();
  pass(10);
  expect(lines).toEqual([]); // a change of that very time would be in time
  pass(10.01);
  pass(12);
  expect(lines).toEqual(['late v3 10m']);
  pass(13);
  change(35);
  expect(lines).toEqual(['late v3 10m', 'absent v3 12m', 'resumed v3 35m missed 3']);
  pass(47.01);
  expect(lines.slice(3)).toEqual(['late v4 45m', 'absent v4 47m']);
});

test('a change at the deadline itself is in time', () => {
  const { lines, change } = watch();
  change(10);
  expect(lines).toEqual([]);
});

test('what does not count does not end a gap, and what the log has twice is one change', () => {
  const { lines, machine, change, pass, view } = watch();
  change(5, { counts: false });
  expect(view()).toMatchObject({ gap: 3, since: START });
  change(6);
  machine.observe({ id: 1n, version: 5, member: false, counts: true, dwells: true }, START + 7 * MINUTE);
  expect(view()).toMatchObject({ state: 'armed', gap: 5 });
  pass(16.01);
  expect(lines).toEqual(['late v5 16m']);
});

test('leaving the filter closes the gap, entering it begins one', () => {
  const { lines, change, pass, machine } = watch();
  change(5, { member: false });
  expect([machine.armed(), machine.nextDue()]).toEqual([0, Infinity]);
  pass(60);
  change(61);
  pass(72);
  expect(lines).toEqual(['closed v3 5m', 'late v5 71m']);
});

test('a dwell lasts as long as the predicate holds, whatever else changes', () => {
  const { lines, change, pass, view } = watch({ counts: { dwell: 'status == Open' }, late_notice: false });
  change(5);
  change(9);
  pass(13);
  expect(lines).toEqual(['absent v3 12m']);
  change(15, { dwells: false });
  expect(view()).toMatchObject({ state: 'waiting' });
  pass(100);
  change(101);
  expect(view()).toMatchObject({ state: 'armed', gap: 7 });
  expect(lines).toEqual(['absent v3 12m', 'resumed v3 15m missed 1']);
});

test('an absence is emitted again at most so often, each time under its own number', () => {
  const { lines, pass, change } = watch({ rearm: { mode: 'every', every: 'PT5M', max: 2 }, late_notice: false });
  pass(60);
  change(61);
  expect(lines).toEqual(['absent v3 12m', 'absent v3 17m again 1', 'absent v3 22m again 2', 'resumed v3 61m missed 6']);
});

test('never: after its first absence an entity is not armed again', () => {
  const { lines, pass, change, view } = watch({ rearm: { mode: 'never', every: null, max: 1 }, late_notice: false });
  pass(13);
  change(14);
  pass(100);
  change(101);
  expect(view()).toMatchObject({ state: 'over' });
  expect(lines).toEqual(['absent v3 12m', 'resumed v3 14m missed 1']);
});

test('an entity that waits for its first change is armed by it', () => {
  const { machine, lines } = watch();
  machine.arm({ id: 2n, version: 1 }, undefined);
  machine.observe({ id: 2n, version: 2, member: true, counts: true, dwells: true }, START);
  machine.advance(START + 10 * MINUTE + 1);
  expect(lines).toEqual(['late v3 10m', 'late v2 10m']);
});

test('a watch that resumes with evaluation emits overdue events then; gaps that ended during the pause emit nothing', () => {
  const { lines, machine, pass, change } = watch();
  machine.pause();
  pass(15);
  change(16);
  pass(30);
  expect([lines.length, machine.nextDue()]).toEqual([0, Infinity]);
  machine.resume();
  pass(30);
  expect(lines).toEqual(['late v4 26m', 'absent v4 28m']);
});

test('a pause that skips silences what comes due in it, until the next change', () => {
  const { lines, machine, pass, change, view } = watch({ on_resume: 'skip' });
  machine.pause();
  pass(15);
  machine.resume();
  pass(30);
  expect(view()).toMatchObject({ state: 'silenced' });
  change(31);
  expect(lines).toEqual([]);
  pass(42);
  expect(lines).toEqual(['late v4 41m']);
});

test('an edit reckons from the change that began the gap, and tells nothing twice', () => {
  const { lines, machine, pass } = watch();
  pass(11);
  machine.edit({ ...RULES, period: 'PT20M' });
  pass(21);
  machine.edit({ ...RULES, period: 'PT5M' });
  pass(21);
  expect(lines).toEqual(['late v3 10m', 'absent v3 7m']);
});

test('emitted events of a gap stay emitted when the watch starts again', () => {
  const before = watch({ late_notice: false });
  before.pass(13);
  const after = watch({ late_notice: false });
  after.machine.takeOver(before.machine.gaps);
  after.pass(30);
  expect(after.lines).toEqual([]);
  after.change(31);
  expect(after.lines).toEqual(['resumed v3 31m missed 3']);
});

test('two evaluators, one of which was away for a while, tell the same', () => {
  const steady = watch();
  for (let minute = 0; minute < 40; minute += 0.5) steady.pass(minute);
  const late = watch();
  late.pass(39.5);
  expect(late.lines).toEqual(steady.lines);
});

test('many entities are saved and read again', () => {
  const { machine } = watch();
  for (let id = 2n; id <= 5_000n; id += 1n) machine.arm({ id, version: 1 }, { gap: 1, since: START + Number(id) });
  const lines: string[] = [];
  const again = createGapMachine(RULES, ({ id, at }) => void lines.push(`${id} ${at}`));
  const bytes = machine.encode();
  expect(again.decode(Buffer.concat([bytes, Buffer.from('more')]))).toBe(bytes.length);
  expect([again.armed(), again.nextDue()]).toEqual([5_000, machine.nextDue()]);
  again.advance(START + 10 * MINUTE + 4);
  expect(lines).toEqual([`1 ${START + 10 * MINUTE}`, `2 ${START + 10 * MINUTE + 2}`, `3 ${START + 10 * MINUTE + 3}`]);
});
