import type { GapRules, GapEvent } from '../../../notifications/watches/gap-machine.js';
import { PERIOD_MS, type Step, type Trace } from './traces.js';

interface Gap {
  gap: number;
  since: number;
  told: Set<string>;
  /** Nothing is told of it any more. */
  mute: boolean;
}

/** When a gap is overdue, and the end of the period `n` after it: reckoned by counting, not by a calendar's library. */
function deadline({ period }: GapRules, since: number, n = 0): number {
  const ms = PERIOD_MS;
  return typeof period === 'string' ? since + ms * (n + 1) : Math.ceil(since / ms) * ms + ms * (n + 1);
}

/** Everything that is ever to be told of a gap that nothing ends, straight from the table. */
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

/** What a watch must tell, step by step and entity by entity, with nothing remembered but what was told. */
export function expected({ rules: first, armed, steps }: Trace): string[] {
  const lines: string[] = [];
  let [rules, paused] = [first, false];
  const entities = new Map<bigint, { version: number; in: boolean; over: boolean; open: Gap | undefined }>();
  const openGap = (gap: number, since: number): Gap => ({ gap, since, told: new Set(), mute: false });
  for (const { id, version, begun } of armed) {
    entities.set(id, { version, in: true, over: false, open: begun && openGap(begun.gap, begun.since) });
  }
  const say = (id: bigint, { gap }: Gap, kind: string, repeat: number, at: number, missed = 0) =>
    lines.push([id, gap, kind, repeat, at, missed].join('/'));

  /** Complete up to here: what is due before this time and not told yet. */
  function pass(time: number): void {
    if (paused && rules.on_resume === 'judge') return;
    const due = [...entities].flatMap(([id, { open }]) =>
      open === undefined || open.mute ? [] : [...notices(rules, open)].map((notice) => ({ id, open, ...notice })),
    );
    for (const { id, open, kind, repeat, at } of due.sort((one, other) => one.at - other.at)) {
      // Late is never told behind absent; what an edit brings forward is.
      const isTold = open.told.has(`${kind}${repeat}`) || (kind === 'late' && open.told.has('absent0'));
      if (at >= time || isTold || open.mute) continue;
      if (paused) open.mute = true;
      else {
        open.told.add(`${kind}${repeat}`);
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
    const wasTold = open !== undefined && !open.mute && open.told.size > 0;
    if (isEnd && open !== undefined && wasTold && rules.recovery_notice) {
      let missed = 0;
      while (deadline(rules, open.since, missed) < at) missed += 1;
      say(id, open, 'resumed', 0, at, missed);
    }
    if (entity.in && !member && open !== undefined && !open.mute && rules.closed_notice) say(id, open, 'closed', 0, at);
    const over =
      stays && (entity.over || (isEnd && wasTold && open.told.has('absent0') && rules.rearm.mode === 'never'));
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
