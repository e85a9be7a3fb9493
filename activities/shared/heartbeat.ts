import { heartbeat } from '@temporalio/activity';

/**
 * Heartbeats while `work` goes on, for what has no loop of its own: a transfer, a build. Only a heartbeat brings the
 * cancellation of the activity, and without one the server takes the worker for dead.
 */
export async function whileBeating<T>(work: () => Promise<T>, beat: () => void = () => heartbeat()): Promise<T> {
  const beating = setInterval(beat, 2_000);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
