import { cancellationSignal, log } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetImport, ImportRef } from '../../reference/dataset/import.js';
import type { Imports } from '../../reference/stores/imports.js';
import { endedBadly } from '../shared/failures.js';

/** With the pauses between attempts, which double up to a minute, some two minutes. */
const MOST_FAULTS = 8;

type Step<Result> = (ref: ImportRef) => Promise<Result>;

/**
 * Ends an import that platform faults stop repeatedly at the same position: a bug, or an incomplete upload, which no
 * retry fixes. Attempts are not counted: a worker restart uses one up, and `unavailable` is temporary.
 */
export function createFaultLimit({ imports }: { imports: Imports }) {
  /**
   * @returns the number of consecutive faults at this position; one that cannot be stored is counted at the next
   * failure
   */
  async function count(importId: string): Promise<DatasetImport | undefined> {
    try {
      const given = await imports.get(importId);
      // language: `place` is the name of the stored field.
      const place = progressOf(given);
      const times = given.faults?.place === place ? given.faults.times + 1 : 1;
      // An attempt that timed out must not overwrite what the next one stored.
      cancellationSignal().throwIfAborted();
      const counted = { ...given, faults: { place, times } };
      await imports.put(counted);
      return counted;
    } catch {
      return undefined;
    }
  }

  return function limitFaults<Result>(step: Step<Result>): Step<Result> {
    return async (ref) => {
      try {
        return await step(ref);
      } catch (err) {
        if (!isFault(err) || cancellationSignal().aborted) throw err;
        const counted = await count(ref.importId);
        if (counted?.faults === undefined || counted.faults.times < MOST_FAULTS) throw err;
        log.warn('import abandoned after repeated faults', { importId: ref.importId }); // earlier attempts logged the cause
        throw endedBadly({ reason: 'Internal', message: messageOf(counted) });
      }
    };
  };
}

const isFault = (err: unknown): boolean =>
  err instanceof SlipwayError ? err.code === 'internal' : !(err instanceof TemporalFailure);

/** Describes the progress of an import. */
const progressOf = ({ cursor, counts }: DatasetImport): string => `${cursor.offset}/${counts.deleted}`;

const messageOf = ({ id, cursor }: DatasetImport): string =>
  `the platform failed ${MOST_FAULTS} times after line ${cursor.line} of the upload; the worker's log says why, under ` +
  `${id}. Once that is fixed, import it again: rows that exist already stay unchanged`;
