import { requireId } from '../../reference/id.js';
import { SlipwayError } from '../../resources/errors.js';
import type { Watch } from '../../resources/watch.js';
import type { Datasets } from '../../stores/datasets.js';
import { createGapMachine } from '../../watches/gap-machine.js';
import { findGapStart } from '../../watches/gap-start.js';
import { createObserver, observesDataset } from '../../watches/observer.js';
import { gapId, toldKey } from '../../watches/told-event.js';

export interface ExplanationOptions {
  watch: Watch;
  datasets: Pick<Datasets, 'get'>;
  entity: string;
  /** Whether something was told. */
  wasTold: (key: string) => Promise<boolean>;
  now: Date;
}

const timeOf = (ms: number): string | null => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);

/** What a watch knows of one entity, found from the stored changes as its evaluator finds it. */
export async function explainEntity({ watch, datasets, entity, wasTold, now }: ExplanationOptions) {
  const { spec } = watch;
  if (spec.each === 'set' || !observesDataset(spec)) {
    throw new SlipwayError(
      'parameter.invalid',
      'the watch is not about single rows; GET .../gaps lists what was told',
      {
        members: { parameter: 'entity' },
      },
    );
  }
  const { dataset, declaration } = datasets.get(spec.scope.dataset);
  const { rows } = dataset.replica;
  const id = requireId(entity);
  const head = { watch: watch.id, entity_id: String(id), log_at: dataset.follower.at };
  const row = rows.find(id);
  if (row < 0) return { ...head, state: 'out', why: `${dataset.name} has no entity ${id}` };
  if (rows.isDeleted(row)) return { ...head, state: 'out', why: 'the entity was deleted' };
  const body = rows.bytes(row).toString();
  const version = rows.version(row);
  const observer = createObserver(spec, declaration.spec);
  const { member, dwells } = observer.standing(body);
  if (!member) return { ...head, state: 'out', why: 'the scope does not take the entity' };
  if (!dwells) return { ...head, state: 'waiting', why: 'the entity does not fulfill what it is to stay' };
  const begun = await findGapStart(
    {
      counts: watch.spec.counts,
      armAt: watch.spec.arm_at,
      createdAt: Date.parse(watch.createdAt),
      observer,
      read: (wanted, at) => dataset.records.get(wanted, at),
    },
    { id: String(id), version, body },
  );
  if (begun === undefined) return { ...head, state: 'waiting', why: 'no change has been seen since the watch began' };

  const machine = createGapMachine(watch.spec, () => {});
  machine.arm({ id, version }, begun);
  const { deadline = NaN, absentAt = NaN } = machine.view(id) ?? {};
  const gap = gapId(watch.id, String(id), begun.gap);
  const [late, absent] = await Promise.all([wasTold(toldKey(gap, 'late', 0)), wasTold(toldKey(gap, 'absent', 0))]);
  const isOver =
    spec.rearm.mode === 'never' && !absent && (await wasAbsentBefore(wasTold, watch.id, String(id), begun.gap));
  const dues = spec.late_notice && !late ? [deadline, absentAt] : [absentAt];
  const state = stateOf(watch, {
    ...{ absent, isOver, late, isOverdue: absentAt < now.getTime() },
    isSkipped: spec.on_resume === 'skip' && dues.some((due) => wasPausedAt(watch, due)),
  });
  return {
    ...head,
    state,
    why: WHY[state],
    gap_id: gap,
    gap_version: begun.gap,
    entity_version: version,
    last_changed_at: timeOf(begun.since),
    deadline: timeOf(deadline),
    absent_at: timeOf(absentAt),
    told: [...(late ? ['late'] : []), ...(absent ? ['absent'] : [])],
  };
}

interface Standing {
  absent: boolean;
  late: boolean;
  isOver: boolean;
  isOverdue: boolean;
  isSkipped: boolean;
}

function stateOf({ status }: Watch, { absent, late, isOver, isOverdue, isSkipped }: Standing): keyof typeof WHY {
  if (absent) return 'absent';
  if (isOver) return 'over';
  if (status.state === 'paused') return 'paused';
  if (isOverdue) return isSkipped ? 'skipped' : 'unknown';
  return late ? 'late' : 'armed';
}

/** Gaps that are looked back at. */
const MOST_GAPS = 200;

async function wasAbsentBefore(wasTold: ExplanationOptions['wasTold'], watch: string, entity: string, gap: number) {
  for (let version = gap - 1; version >= Math.max(1, gap - MOST_GAPS); version -= 1) {
    if (await wasTold(toldKey(gapId(watch, entity, version), 'absent', 0))) return true;
  }
  return false;
}

/** By the history of its settings, whose oldest entries go. */
function wasPausedAt({ status }: Watch, time: number): boolean {
  const before = status.history.filter(({ at }) => Date.parse(at) <= time);
  const turns = before.flatMap(({ changed }) => changed.filter((each) => each.startsWith('state: ')));
  return turns.at(-1) === 'state: paused';
}

const WHY = {
  armed: 'the period goes on',
  late: 'the period has ended, and the grace goes on',
  absent: 'no change that counts came in time',
  paused: 'the watch is paused',
  over: 'its absence was told once, and the watch does not begin again',
  skipped: 'it came due during a pause, and the watch tells nothing of those',
  unknown: 'the time has passed, and nothing was told: the log was not read so far yet',
} as const;
