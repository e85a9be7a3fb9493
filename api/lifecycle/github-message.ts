import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../../platform/kinds/lenient.js';
import type { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';

/** A request of GitHub. Only its body is signed: anyone who has seen one can send it again with other headers. */
export interface GitHubMessage {
  /** `X-GitHub-Event`. */
  event: string;
  body: Buffer;
  now: Date;
}

/** GitHub signs the body with the text of the secret as it was pasted. */
export function isSignedByGitHub(body: Buffer, signature: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The id of a message, from what is signed: a copy under another delivery id has the same one. */
export const gitHubMessageId = (body: Buffer): string => `github-${createHash('sha256').update(body).digest('hex')}`;

/** Ids of messages are known for a day; a copy of a push that is older would start another run. */
const LONGEST_AGE_MS = 86_400_000;

/** @returns why a message starts no run; `undefined` when it starts one */
export function reasonToIgnore(
  { event, body, now }: GitHubMessage,
  { events = [], branches = [] }: Pick<PipelineSpec['triggers']['webhook'], 'events' | 'branches'>,
): string | undefined {
  const content = parseObject(body);
  // The event is not signed: the content tells a ping too.
  if (event === 'ping' || (content?.zen !== undefined && content.hook_id !== undefined)) return 'a ping starts no run';
  if (isOlderThanADay(content, now)) return 'the push is more than a day old';
  if (events.length > 0 && !events.includes(event)) return `triggers.webhook.events does not name "${event}"`;
  if (branches.length === 0 && !events.includes('push')) return undefined;
  if (content === undefined) return 'the body is no JSON object: choose the content type application/json';
  return branches.length > 0 || event === 'push' ? branchReason(content, branches) : undefined;
}

function branchReason({ ref, deleted }: Record<string, unknown>, branches: readonly string[]): string | undefined {
  if (typeof ref !== 'string') return 'the message names no branch';
  if (deleted === true) return 'the branch was deleted';
  const isNamed = branches.length === 0 || branches.some((name) => toRef(name) === toRef(ref));
  return isNamed ? undefined : `triggers.webhook.branches does not name "${ref}"`;
}

/** Some events, and most users, write the short name of a branch. */
const toRef = (name: string): string => (name.startsWith('refs/') ? name : `refs/heads/${name}`);

/** Only a push says its time, in seconds. */
function isOlderThanADay(content: Record<string, unknown> | undefined, now: Date): boolean {
  const pushedAt = isRecord(content?.repository) ? content.repository.pushed_at : undefined;
  return typeof pushedAt === 'number' && now.getTime() - pushedAt * 1_000 > LONGEST_AGE_MS;
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
