import { requireId } from '../../reference/id.js';
import { SlipwayError } from '../../resources/errors.js';
import type { Datasets } from '../../stores/datasets.js';
import { findGapStart } from '../../watches/gap-start.js';
import { createObserver, observesDataset } from '../../watches/observer.js';
import { standOfGap, type StandingOptions } from './watch-standing.js';

export interface ExplanationOptions extends StandingOptions {
  datasets: Pick<Datasets, 'get'>;
  entity: string;
}

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

  return {
    ...head,
    ...(await standOfGap(
      { watch, wasTold, now },
      { id, version, word: String(id), begun, earlier: range(begun.gap - 1, Math.max(1, begun.gap - MOST_GAPS)) },
    )),
    entity_version: version,
  };
}

/** Gaps that are looked back at. */
const MOST_GAPS = 200;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, from - to + 1) }, (_, n) => from - n);
