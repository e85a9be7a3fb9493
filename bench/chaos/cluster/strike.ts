import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess } from '../../../test/stack/signal-process.js';
import { nameOf, type PlannedFault } from './fault-plan.js';
import { type Member, type Members, signal } from './members.js';

interface Strikes {
  members: Members;
  plan: readonly PlannedFault[];
  /** Ends every fault before its time. */
  signal: AbortSignal;
  report: (line: string) => void;
}

/** Carries out a plan; when this returns, no fault is left. @returns how often each fault occurred */
export async function strikeAll({ members, plan, signal: ending, report }: Strikes): Promise<Record<string, number>> {
  const began = Date.now();
  const counts: Record<string, number> = {};
  const strike = async (fault: PlannedFault): Promise<void> => {
    await sleep(Math.max(0, began + fault.atMs - Date.now()), undefined, { signal: ending }).catch(() => {});
    if (ending.aborted) return;
    report(`${nameOf(fault)}${fault.how === 'kill' ? '' : `, ${Math.round(fault.lastsMs / 1_000)} s`}`);
    const undo = await begin(members.get(fault.member), fault);
    const kind = nameOf(fault).replace(/-\d/, '');
    counts[kind] = (counts[kind] ?? 0) + 1;
    await sleep(fault.lastsMs, undefined, { signal: ending }).catch(() => {});
    await undo();
  };
  await Promise.all(plan.map(strike));
  return counts;
}

/** @returns what ends the fault */
async function begin({ process: kept, wires }: Member, fault: PlannedFault): Promise<() => Promise<void> | void> {
  if (!('service' in fault)) {
    if (fault.how === 'kill') {
      signal(kept, 'SIGKILL');
      return () => {};
    }
    if (kept.pid !== undefined) await signalProcess(kept.pid, 'SIGSTOP');
    return () => signal(kept, 'SIGCONT');
  }
  const wire = wires[fault.service];
  if (wire === undefined) throw new Error(`${fault.member} has no wire to the ${fault.service}`);
  if (fault.how === 'cut') await wire.cut();
  else wire.silence();
  return () => wire.mend();
}
