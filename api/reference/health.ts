import type { Datasets } from '../../stores/datasets.js';
import { readQuery } from './query.js';
import type { ReferenceStep } from './state.js';

/** `GET /v2/health`: how far this process is with each dataset. */
export const createHealth =
  ({ datasets }: { datasets: Datasets }): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    const all = datasets.all().filter(({ isReady, replica }) => !isReady || replica.declaration !== undefined);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      state: all.every(({ isReady }) => isReady) ? 'ready' : 'loading',
      datasets: Object.fromEntries(
        all.map(({ name, isReady, replica, follower }) => [
          name,
          {
            state: isReady ? 'ready' : 'loading',
            position: replica.position,
            version: replica.visible,
            rows: replica.rows.live(),
            lag_ms: isReady ? Math.ceil(follower.lagMs()) : null,
          },
        ]),
      ),
    };
  };
