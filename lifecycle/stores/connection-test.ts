import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { canonical } from '../kinds/aliases.js';
import { REGISTRIES } from '../kinds/built-in-rules.js';
import { type ConnectionTest, TEST_STEPS, type TestStep } from '../kinds/connection-test.js';
import type { Connection } from '../kinds/connection.js';
import { isObjectStore } from '../kinds/object-location.js';

export interface ConnectionTestDeps {
  openStore: (connection: Connection) => ObjectStore;
  /** Opens a repository below the uri of a registry. */
  openRepository: (connection: Connection, use: { signal: AbortSignal; write: boolean }) => Promise<TestedRepository>;
  /** Asks a git server for its references. */
  readReferences: (connection: Connection, signal: AbortSignal) => Promise<unknown>;
  /** Shorter than clients wait for an answer. */
  limitMs?: number;
}

interface TestedRepository {
  manifestDigest: (reference: string) => Promise<unknown>;
  uploadBytes: (bytes: Buffer) => Promise<unknown>;
}

export type TestConnection = (connection: Connection, options: { write: boolean }) => Promise<ConnectionTest>;

/**
 * Tests connections as their users use them. A write leaves nothing in an object store, and in a registry a small blob
 * that no image refers to.
 */
export function createConnectionTest({ limitMs = 9_000, ...deps }: ConnectionTestDeps): TestConnection {
  return async (connection, { write }) => {
    const signal = AbortSignal.timeout(limitMs);
    const probes = probesOf(deps, connection, { signal, write });
    const done: TestStep[] = [];
    try {
      const { read, write: put } = await within(probes(), limitMs);
      await within(read(), limitMs);
      done.push('reach', 'login', 'read');
      if (write && put !== undefined) {
        await within(put(), limitMs);
        done.push('write');
      }
    } catch (err) {
      const failed = done.length > 0 ? 'write' : stepOf(err);
      const before = TEST_STEPS.slice(0, TEST_STEPS.indexOf(failed));
      return {
        id: connection.id,
        passed: false,
        checks: [...before.map(passed), { step: failed, passed: false, reason: reasonOf(err) }],
      };
    }
    return { id: connection.id, passed: true, checks: done.map(passed) };
  };
}

const passed = (step: TestStep) => ({ step, passed: true });

interface Probes {
  read: () => Promise<unknown>;
  write?: () => Promise<unknown>;
}

/** A connection that cannot be opened fails as one that cannot be read. */
function probesOf(
  deps: Omit<ConnectionTestDeps, 'limitMs'>,
  connection: Connection,
  { signal, write }: { signal: AbortSignal; write: boolean },
): () => Promise<Probes> {
  const { type } = connection.spec;
  if (isObjectStore(type)) return async () => storeProbes(deps.openStore(connection));
  if (!REGISTRIES.includes(canonical('connectionType', type))) {
    return async () => ({ read: () => deps.readReferences(connection, signal) });
  }
  return async () => {
    const repository = await deps.openRepository(connection, { signal, write });
    return {
      read: () => repository.manifestDigest('none'),
      write: () => repository.uploadBytes(Buffer.from(randomUUID())),
    };
  };
}

function storeProbes(objects: ObjectStore): Required<Probes> {
  return {
    read: () => objects.list('')[Symbol.asyncIterator]().next(),
    write: async () => {
      const key = `slipway-connection-test/${randomUUID()}`;
      await objects.put(key, 'test', { ifAbsent: true });
      await objects.remove(key);
    },
  };
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const ending = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: ending.signal }).then(() => {
    const publicMessage = `no answer within ${limitMs / 1_000} seconds`;
    throw new SlipwayError('unavailable', publicMessage, { publicMessage });
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    ending.abort();
    limit.catch(() => undefined); // it ends with the timer
    work.catch(() => undefined); // it may end later
  }
}

const LOGIN =
  /\b(401|403)\b|authentication|unauthorized|forbidden|denied|could not give a token|keySecret|keyID|could not read (username|password)|host key/i;

function stepOf(err: unknown): TestStep {
  if (!(err instanceof SlipwayError)) return 'reach';
  if (['unavailable', 'url.not_allowed'].includes(err.code)) return 'reach';
  if (['storage_denied', 'validation_failed'].includes(err.code)) return 'login';
  return LOGIN.test(err.message) ? 'login' : 'read';
}

/** The store's own word, such as InvalidAccessKeyId, says more than its status. */
function reasonOf(err: unknown): string {
  if (!(err instanceof SlipwayError)) return 'the test failed: see the log of the API';
  const { name, code } = (err.cause ?? {}) as { name?: unknown; code?: unknown };
  const word = [code, name].filter((each) => typeof each === 'string').find((each) => WORD.test(each));
  return `${err.publicMessage ?? err.message}${word === undefined ? '' : `: ${word}`}`;
}

const WORD = /^(?!.*Error$)[A-Z][A-Za-z]{3,40}$/;
