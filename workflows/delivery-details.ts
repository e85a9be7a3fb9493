import type { DrainSummary } from '../activities/notifications/drain-summary.js';
import { dayOf, END, plain, timeOf, unbroken } from './markdown.js';

export interface DeliveryDetails {
  /** The present step of the workflow. */
  now: string;
  /** The end of the last drain. */
  summary?: DrainSummary | undefined;
  /** RFC 3339. */
  nextDueAt?: string | undefined;
}

/** Writes the deliveries of a subscription as Markdown for the Web UI. Ages and states are those of the last drain. */
export function deliveryDetails({ now, summary, nextDueAt }: DeliveryDetails): string {
  const step = `**Now:** ${plain(now)}`;
  if (summary === undefined) return [step, ...END].join('\n');
  const day = dayOf(Date.parse(summary.at));
  const time = (at: string): string => timeOf(Date.parse(at), day);
  const rows: [string, string][] = [
    ['backlog', backlogOf(summary)],
    ['oldest', oldestOf(summary, time)],
    ['breaker', breakerOf(summary, time)],
    [
      'last error',
      summary.lastFailure ? `${time(summary.lastFailure.at)}: ${plain(summary.lastFailure.reason)}` : 'none',
    ],
    ['next attempt', nextDueAt === undefined ? withoutNext(summary) : time(nextDueAt)],
  ];
  return [
    `### ${summary.health}, ${unbroken(`${day} ${time(summary.at)}`)} UTC`,
    ...['', step, '', '| deliveries | |', '|---|---|'],
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    ...END,
  ].join('\n');
}

const backlogOf = ({ unsettled, held }: DrainSummary): string =>
  `${unsettled} ${unsettled === 1 ? 'event' : 'events'}${held > 0 ? `, ${held} held for an operator` : ''}`;

function oldestOf({ at, oldestAt }: DrainSummary, time: (at: string) => string): string {
  if (oldestAt === undefined) return 'none';
  return `${ageOf(Date.parse(at) - Date.parse(oldestAt))}, since ${time(oldestAt)}`;
}

function breakerOf({ openSince, retryAt }: DrainSummary, time: (at: string) => string): string {
  const until = retryAt === undefined ? '' : `, no attempt before ${time(retryAt)}`;
  return openSince === undefined ? `closed${until}` : `open since ${time(openSince)}${until}`;
}

/** Explains why no attempt is due. */
function withoutNext({ health, unsettled }: DrainSummary): string {
  if (health === 'paused' || health === 'disabled') return `none: the subscription is ${health}`;
  return unsettled > 0 ? 'none until an operator acts' : 'with the next event';
}

const UNITS = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

function ageOf(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, least]) => milliseconds >= 2 * least) ?? (['s', 1_000] as const);
  return unbroken(`${Math.max(0, Math.floor(milliseconds / size))} ${unit}`);
}
