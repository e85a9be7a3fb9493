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
 * Ends an import that a fault of the platform itself stops again and again at the same place: a bug, or an upload that is
 * not all there any more. Time heals neither. Attempts are not what is counted: a worker's restart uses one up, and what
 * is only unavailable comes back.
 */
export function createFaultLimit({ imports }: { imports: Imports }) {
  /** @returns how often in a row it failed there; what cannot be counted just now is counted at the next failure */
  async function count(importId: string): Promise<DatasetImport | undefined> {
    try {
      const given = await imports.get(importId);
      const place = placeOf(given);
      const times = given.faults?.place === place ? given.faults.times + 1 : 1;
      // An attempt that is taken for dead must not overwrite what the next one stored.
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
        log.warn('the import is given up', { importId: ref.importId }); // each attempt before told why it failed
        throw endedBadly({ reason: 'Internal', message: messageOf(counted) });
      }
    };
  };
}

const isFault = (err: unknown): boolean =>
  err instanceof SlipwayError ? err.code === 'internal' : !(err instanceof TemporalFailure);

/** How far it came. */
const placeOf = ({ cursor, counts }: DatasetImport): string => `${cursor.offset}/${counts.deleted}`;

const messageOf = ({ id, cursor }: DatasetImport): string =>
  `the platform failed ${MOST_FAULTS} times behind line ${cursor.line} of the upload; the worker's log says why, under ` +
  `${id}. Once that is mended, import it again: rows that are there already stay as they are`;
