import { createGapMachine, type GapRules, type Observation } from '../../../notifications/watches/gap-machine.js';

/** One thing after the other, as a log and its readers meet it. */
export type Step =
  | ({ kind: 'change'; at: number } & Observation)
  | { kind: 'heartbeat'; at: number }
  | { kind: 'pause' | 'resume' }
  | { kind: 'edit'; rules: GapRules };

export interface Trace {
  rules: GapRules;
  /** In the scope when the watch begins. */
  armed: { id: bigint; version: number; begun: { gap: number; since: number } | undefined }[];
  steps: Step[];
}

/** Every period is so long, sliding or by the calendar: only then may an edit change one for the other. */
export const PERIOD_MS = 60_000;
/** Times meet deadlines often. */
const TICK_MS = 10_000;
const START = Date.UTC(2026, 1, 11);

export type Random = (below: number) => number;

/** A small generator of numbers that a seed gives again (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function rulesOf(random: Random, dwell: boolean): GapRules {
  const mode = (['next_change', 'never', 'every'] as const)[random(3)] ?? 'every';
  return {
    period: random(2) ? 'PT60S' : { cron: '* * * * *', zone: 'Etc/UTC' },
    grace: `PT${random(3) * 20}S`,
    late_notice: random(2) === 1,
    rearm: { mode, every: mode === 'every' && random(2) ? `PT${(1 + random(3)) * 20}S` : null, max: 1 + random(3) },
    recovery_notice: random(2) === 1,
    closed_notice: random(2) === 1,
    on_resume: random(2) ? 'judge' : 'skip',
    counts: { dwell: dwell ? 'status == Open' : null },
  };
}

/** A life of a few entities: changes that count and some that do not, repeats, silence, pauses, edits. */
export function traceOf(random: Random): Trace {
  const dwell = random(3) === 0;
  const rules = rulesOf(random, dwell);
  const ids = [1n, 2n, 9_007_199_254_740_993n].slice(0, 1 + random(3));
  const versions = new Map<bigint, number>();
  const armed = ids
    .filter(() => random(3) > 0)
    .map((id) => {
      const version = 1 + random(3);
      versions.set(id, version);
      const since = START - random(20) * TICK_MS;
      return { id, version, begun: random(4) ? { gap: 1 + random(version), since } : undefined };
    });
  const seen: Observation[] = [];
  let at = START;
  const steps = Array.from({ length: 1 + random(14) }, (): Step => {
    const chance = random(20);
    if (chance === 0) return { kind: 'pause' };
    if (chance <= 2) return { kind: 'resume' };
    if (chance === 3) return { kind: 'edit', rules: { ...rulesOf(random, dwell) } };
    at += random(5) * TICK_MS;
    if (chance <= 9) return { kind: 'heartbeat', at };
    // A log may have a change twice.
    const again = random(8) === 0 ? seen[random(seen.length + 1)] : undefined;
    if (again !== undefined) return { kind: 'change', at, ...again };
    const id = ids[random(ids.length)] ?? 1n;
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    const member = random(5) > 0;
    seen.push({ id, version, member, counts: random(4) > 0, dwells: !dwell || random(3) > 0 });
    return { kind: 'change', at, ...(seen.at(-1) as Observation) }; // it has just been put there
  });
  return { rules, armed, steps };
}

/** Runs the machine and collects its events; with `restarts`, it is saved and read again after every step. */
export function played({ rules: first, armed, steps }: Trace, { restarts = false } = {}): string[] {
  const lines: string[] = [];
  let rules = first;
  const create = () =>
    createGapMachine(rules, ({ id, gap, kind, repeat, at, missed }) => {
      lines.push([id, gap, kind, repeat, at, missed].join('/'));
    });
  let machine = create();
  let paused = false;
  for (const { id, version, begun } of armed) machine.arm({ id, version }, begun);
  for (const step of steps) {
    if (step.kind === 'change') machine.observe(step, step.at);
    else if (step.kind === 'heartbeat') machine.advance(step.at);
    else if (step.kind === 'edit') machine.edit((rules = step.rules));
    else {
      paused = step.kind === 'pause';
      machine[step.kind]();
    }
    if (!restarts) continue;
    const saved = machine.encode();
    machine = create();
    machine.decode(saved);
    if (paused) machine.pause();
  }
  return lines;
}
