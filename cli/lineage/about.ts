import type { components } from '../../client/index.js';
import { isRecord } from '../../platform/kinds/record.js';
import { clock } from '../output/time.js';

type Node = components['schemas']['Lineage']['nodes'][number];

interface About {
  state?: string;
  facts: string[];
}

/** Digests by the digits that tell them apart. */
const short = (id: string): string => id.replace(/\b([0-9a-f]{12})[0-9a-f]{28,}\b/g, '$1');

export const nameOfNode = ({ kind, id }: Node): string => `${kind} ${short(id)}`;

/** The facts of a node that the tree shows; the rest is in the JSON. */
export function aboutOf({ kind, id, facts }: Node): About {
  const text = (name: string): string => toText(facts[name]);
  const about = (...found: string[]): About => {
    const state = text('state');
    return { ...(state !== '' && { state }), facts: found.filter((fact) => fact !== '' && fact !== id) };
  };
  const model = [text('modelName'), text('modelVersion')].filter(Boolean).join(':');
  switch (kind) {
    case 'request':
      return about(...callsOf(facts.calls), counted(listOf(facts.feedback).length, 'feedback'));
    case 'deployment':
      return about(
        `generation ${text('generation')}`,
        model,
        facts.serving === true ? 'serves' : '',
        ...trafficOf(facts),
      );
    case 'image':
    case 'artifact':
      return about(text('name'));
    case 'packaging':
      return about(text('integration'), text('reason'));
    case 'training':
      return about(model, ofSource(facts.source), pairs(facts.hyperParameters), pairs(facts.metrics), text('reason'));
    case 'data':
      return about(
        text('localPath'),
        [text('connection'), text('remotePath')].filter(Boolean).join(' '),
        ofFeedback(facts),
      );
    case 'commit':
      return about(); // several connections may lead to it: each training names its own
    case 'pipeline-run':
      return about(startedBy(facts.trigger), text('reason'), approvedBy(facts.approval));
    case 'pipeline':
      return about();
  }
}

const toText = (value: unknown): string => {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  return typeof value === 'string' ? value : '';
};

const ofSource = (source: unknown): string =>
  isRecord(source)
    ? ['from', toText(source.connection), toText(source.reference), toText(source.path)].filter(Boolean).join(' ')
    : '';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const counted = (count: number, what: string): string => (count === 0 ? '' : `${count} ${what}`);

const pairs = (value: unknown): string =>
  isRecord(value)
    ? Object.entries(value)
        .map(([name, each]) => `${name}=${toText(each)}`)
        .join(' ')
    : '';

const callsOf = (value: unknown): string[] =>
  listOf(value).flatMap((call) => (isRecord(call) ? [`answered at ${clock(toText(call.at))}`] : []));

const trafficOf = ({ traffic }: Node['facts']): string[] =>
  isRecord(traffic)
    ? [
        Number(traffic.calls) === 1 ? '1 call' : `${Number(traffic.calls)} calls`,
        counted(Number(traffic.feedback), 'feedback'),
      ]
    : [];

const ofFeedback = ({ feedback }: Node['facts']): string =>
  isRecord(feedback) ? `feedback of ${toText(feedback.model)}` : '';

function startedBy(trigger: unknown): string {
  if (!isRecord(trigger)) return '';
  const by = toText(trigger.by);
  return `started by ${[toText(trigger.type), by && `(${by})`].filter(Boolean).join(' ')}`;
}

const approvedBy = (approval: unknown): string =>
  isRecord(approval) ? `${toText(approval.decision)} by ${toText(approval.by)}: ${toText(approval.reason)}` : '';
