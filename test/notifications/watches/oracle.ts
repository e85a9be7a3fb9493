import type { GapRules, GapEvent } from '../../../notifications/watches/gap-machine.js';
import { PERIOD_MS, type Step, type Trace } from './traces.js';

interface Gap {
  gap: number;
  since: number;
  emitted: Set<string>;
  /** Whether the gap emits no more events. */
  mute: boolean;
}

/** When a gap is overdue, and the end of the period `n` after it: reckoned by counting, not by a calendar's library. */
function deadline({ period }: GapRules, since: number, n = 0): number {
  const ms = PERIOD_MS;
  return typeof period === 'string' ? since + ms * (n + 1) : Math.ceil(since / ms) * ms + ms * (n + 1);
}

/** Lists all events of a gap that never ends, straight from the table. */
function* notices(rules: GapRules, { since }: Gap): Generator<{ kind: GapEvent['kind']; repeat: number; at: number }> {
  const { grace, late_notice, rearm } = rules;
  const graceMs = Number(grace.slice(2, -1)) * 1_000;
  const everyMs = rearm.every === null ? undefined : Number(rearm.every.slice(2, -1)) * 1_000;
  if (late_notice && graceMs > 0) yield { kind: 'late', repeat: 0, at: deadline(rules, since) };
  yield { kind: 'absent', repeat: 0, at: deadline(rules, since) + graceMs };
  for (let repeat = 1; rearm.mode === 'every' && repeat <= rearm.max; repeat += 1) {
    const end = everyMs === undefined ? deadline(rules, since, repeat) : deadline(rules, since) + repeat * everyMs;
    yield { kind: 'absent', repeat, at: end + graceMs };
  }
}

/** Computes the expected events of a watch by step and by entity; its only memory is the emitted events. */
export function expected({ rules: first, armed, steps }: Trace): string[] {
  const lines: string[] = [];
  let [rules, paused] = [first, false];
  const entities = new Map<bigint, { version: number; in: boolean; over: boolean; open: Gap | undefined }>();
  const openGap = (gap: number, since: number): Gap => ({ gap, since, emitted: new Set(), mute: false });
  for (const { id, version, begun } of armed) {
    entities.set(id, { version, in: true, over: false, open: begun && openGap(begun.gap, begun.since) });
  }
  const say = (id: bigint, { gap }: Gap, kind: string, repeat: number, at: number, missed = 0) =>
    lines.push([id, gap, kind, repeat, at, missed].join('/'));

  /** Emits the events that are due before this time and not emitted yet. */
  function pass(time: number): void {
    if (paused && rules.on_resume === 'judge') return;
    const due = [...entities].flatMap(([id, { open }]) =>
      open === undefined || open.mute ? [] : [...notices(rules, open)].map((notice) => ({ id, open, ...notice })),
    );
    for (const { id, open, kind, repeat, at } of due.sort((one, other) => one.at - other.at)) {
      // A late event is never emitted after absent; an event that an edit moves to an earlier time is.
      const isEmitted = open.emitted.has(`${kind}${repeat}`) || (kind === 'late' && open.emitted.has('absent0'));
      if (at >= time || isEmitted || open.mute) continue;
      if (paused) open.mute = true;
      else {
        open.emitted.add(`${kind}${repeat}`);
        say(id, open, kind, repeat, at);
      }
    }
  }

  function change({ id, version, member, counts, dwells, at }: Extract<Step, { kind: 'change' }>): void {
    const entity = entities.get(id) ?? { version: 0, in: false, over: false, open: undefined };
    if (version <= entity.version) return;
    const { open } = entity;
    const dwelling = rules.counts.dwell !== null;
    const stays = entity.in && member;
    const isEnd = stays && !entity.over && (dwelling ? (open !== undefined) !== dwells : counts);
    const wasEmitted = open !== undefined && !open.mute && open.emitted.size > 0;
    if (isEnd && open !== undefined && wasEmitted && rules.recovery_notice) {
      let missed = 0;
      while (deadline(rules, open.since, missed) < at) missed += 1;
      say(id, open, 'resumed', 0, at, missed);
    }
    if (entity.in && !member && open !== undefined && !open.mute && rules.closed_notice) say(id, open, 'closed', 0, at);
    const over =
      stays && (entity.over || (isEnd && wasEmitted && open.emitted.has('absent0') && rules.rearm.mode === 'never'));
    const begins = member && dwells && !over && (isEnd || !entity.in);
    const goesOn = stays && !isEnd && !over;
    entities.set(id, { version, in: member, over, open: begins ? openGap(version, at) : goesOn ? open : undefined });
  }

  for (const step of steps) {
    if ('at' in step) pass(step.at);
    if (step.kind === 'change') change(step);
    if (step.kind === 'pause' || step.kind === 'resume') paused = step.kind === 'pause';
    if (step.kind === 'edit') rules = step.rules;
  }
  return lines;
}
