import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Finding, Findings } from '../lifecycle/stores/findings.js';
import type { RecordIndex } from '../lifecycle/stores/record-index.js';

interface Call {
  requestId: string;
  modelName: string;
  modelVersion: string;
}

export interface KnownCalls {
  /** Remembers a call that is being recorded: the index has it a minute or two later. */
  note(call: Call): void;
  /**
   * Says that no such call is known, so that a wrong id is noticed. It is no refusal: another gateway may not have uploaded
   * the call yet, and the index keeps none for ever. Undefined when there is one, or the index does not answer in time.
   */
  doubt(call: Call): Promise<string | undefined>;
}

export interface KnownCallsOptions {
  index: Pick<RecordIndex, 'find'>;
  /** How long feedback waits for the index. */
  patienceMs?: number;
  /** Calls of this gateway that are remembered. */
  most?: number;
}

/** Ids of one lookup, and ids that wait for it. */
const MOST_WAITING = 1_000;

export function createKnownCalls({ index, patienceMs = 1_000, most = 100_000 }: KnownCallsOptions): KnownCalls {
  const own = new LRUCache<string, true>({ max: most });
  let waiting = new Set<string>();
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Findings> | undefined;

  /** One lookup at a time: those that wait meanwhile are looked up together. */
  function find(id: string): Promise<Findings> {
    waiting.add(id);
    next ??= running.then(() => {
      const ids = [...waiting];
      [waiting, next] = [new Set(), undefined];
      const found = index.find(ids, { lastCall: true });
      running = found.catch(() => undefined);
      return found;
    });
    return next;
  }

  async function findingsOf(id: string): Promise<readonly Finding[] | undefined> {
    if (waiting.size >= MOST_WAITING) return undefined;
    // Object storage that is away must not keep feedback out.
    const found = find(id).catch(() => undefined);
    const late = new AbortController();
    const timer = sleep(patienceMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined);
    const findings = await Promise.race([found, timer]);
    late.abort();
    return findings?.get(id);
  }

  return {
    note: (call) => void own.set(keyOf(call), true),
    async doubt(call) {
      if (own.has(keyOf(call))) return undefined;
      const { requestId, modelName, modelVersion } = call;
      const findings = await findingsOf(requestId);
      if (findings === undefined) return undefined;
      const calls = findings.flatMap(({ row }) => (row.kind === 'call' ? [row] : []));
      if (calls.some(({ model, version }) => model === modelName && version === modelVersion)) return undefined;
      const [other] = calls;
      if (other !== undefined)
        return `the request id "${requestId}" is of a call of the model "${other.model}" ${other.version}: check the headers`;
      return `no call with the request id "${requestId}" is known: check it, unless the call was answered within the last minutes`;
    },
  };
}

const keyOf = ({ requestId, modelName, modelVersion }: Call): string =>
  JSON.stringify([requestId, modelName, modelVersion]);
