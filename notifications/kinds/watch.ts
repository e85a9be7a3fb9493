import { z } from 'zod';
import { count } from '../../reference/dataset/dataset-field.js';
import { parseDuration } from '../../platform/kinds/duration.js';
import type { Resource } from '../../platform/kinds/resource.js';
import { scheduleProblem } from '../../lifecycle/kinds/schedule.js';

const text = (most: number) =>
  z.string('must be text').min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
/** Ten years: longer periods are typing errors. */
const LONGEST_MS = 3_660 * 86_400_000;
const duration = (leastMs: number) =>
  z.string('must be a duration such as PT6H').refine(
    (value) => {
      const ms = parseDuration(value);
      return ms !== undefined && ms >= leastMs && ms <= LONGEST_MS;
    },
    `must be a duration such as PT6H, from PT${leastMs / 1_000}S to P3660D`,
  );

/** A calendar of ticks: a change is expected between any two of them. */
const Calendar = z.strictObject({ cron: text(200), zone: text(100) }).superRefine(({ cron, zone }, context) => {
  const message = scheduleProblem({ cron, timeZone: zone });
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const Rearm = z
  .strictObject(
    {
      mode: z.enum(['next_change', 'never', 'every'], 'must be next_change, never or every').default('next_change'),
      /** Time between two repeats of one absence; the period itself by default. */
      every: duration(1_000).nullable().default(null),
      /** Repeats of one gap, at most. */
      max: count(1, 1_000).default(10),
    },
    'must be an object with a mode',
  )
  .prefault({})
  .refine(({ mode, every }) => mode === 'every' || every === null, {
    path: ['every'],
    message: 'goes with the mode "every"',
  });

const flag = z.boolean('must be true or false').default(false);

const DatasetScope = z.strictObject(
  {
    dataset: text(63),
    /** Only entities that match: entering the filter begins a gap, leaving it ends the gap. */
    filter: text(8_192).nullable().default(null),
    /** One entity alone. */
    entity: z
      .string('must be an id in text')
      .regex(/^[1-9]\d{0,18}$/, 'must be an id in text')
      .nullable()
      .default(null),
  },
  'must be an object that names a dataset',
);

/** Events of the platform: an event of these types that the filter matches ends a gap and begins the next. */
const StreamScope = z.strictObject(
  {
    stream: z.literal('pipeline', 'must be pipeline'),
    types: z.array(text(200), 'must be a list of event types').min(1).max(50),
    filter: text(8_192).nullable().default(null),
    /** An event field whose values are watched one by one; by default the subject, for a run its pipeline. */
    by: text(200).nullable().default(null),
  },
  'must be an object that names a stream',
);

/** The settings of a watch: an expected change whose absence emits an event. The names are those of the wire. */
export const WatchSpec = z
  .strictObject(
    {
      name: text(200),
      scope: z.union([DatasetScope, StreamScope], 'must name a dataset, or the stream pipeline with event types'),
      /** `set`: a change of any entity in the scope counts for all of them; of events, any of them. */
      each: z.enum(['entity', 'set'], 'must be entity or set').default('entity'),
      counts: z
        .strictObject(
          {
            /** Only changes of these fields count. */
            fields: z.array(text(200), 'must be a list of fields').min(1).max(50).nullable().default(null),
            /** A filter: the gap lasts as long as the entity fulfils it, whatever else changes. */
            dwell: text(8_192).nullable().default(null),
          },
          'must be an object',
        )
        .prefault({})
        .refine(({ fields, dwell }) => fields === null || dwell === null, 'takes fields or dwell, not both'),
      period: z.union([duration(1_000), Calendar], 'must be a duration such as P14D, or a cron and a zone'),
      grace: duration(0).default('PT0S'),
      late_notice: flag,
      /** Where the first gap of an entity begins. */
      arm_at: z
        .enum(['last_change', 'creation', 'first_change'], 'must be last_change, creation or first_change')
        .default('last_change'),
      rearm: Rearm,
      recovery_notice: flag,
      closed_notice: flag,
      /** `judge`: emit on resume what is overdue then; `skip`: never emit what came due during a pause. */
      on_resume: z.enum(['judge', 'skip'], 'must be judge or skip').default('judge'),
    },
    'must be an object',
  )
  .superRefine(({ late_notice, grace, each, counts, scope }, context) => {
    const report = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (late_notice && parseDuration(grace) === 0)
      report(['late_notice'], 'needs a grace: without one, late is absent');
    if (each === 'set' && counts.dwell !== null) report(['counts', 'dwell'], 'is about single entities');
    if ('stream' in scope) {
      if (each === 'set' && scope.by !== null) report(['scope', 'by'], 'goes with each "entity"');
      if (counts.fields !== null || counts.dwell !== null) report(['counts'], 'is about rows: name types and a filter');
    } else if (each === 'set' && scope.entity !== null) report(['scope', 'entity'], 'is no set');
  });
export type WatchSpec = z.infer<typeof WatchSpec>;
export type DatasetWatchSpec = Omit<WatchSpec, 'scope'> & { scope: z.infer<typeof DatasetScope> };
export type EventWatchSpec = Omit<WatchSpec, 'scope'> & { scope: z.infer<typeof StreamScope> };

/** @returns the stream whose entries a watch evaluates; the stream of a dataset has its name */
export const streamOfWatch = ({ scope }: Pick<WatchSpec, 'scope'>): string =>
  'stream' in scope ? scope.stream : scope.dataset;

export interface WatchStatus {
  state: 'active' | 'paused' | 'removed';
  /** Changes of settings, the newest last; the oldest go first. */
  history: readonly { generation: number; at: string; actor: string; changed: readonly string[] }[];
}
export type Watch = Resource<WatchSpec, WatchStatus>;

export const WATCH_LIMITS = { watches: 1_000, armed: 1_000_000, history: 50 } as const;

/** The kinds of events about a gap. */
export const WATCH_KINDS = ['late', 'absent', 'resumed', 'closed'] as const;
export type WatchKind = (typeof WATCH_KINDS)[number];
