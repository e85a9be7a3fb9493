import { watchPauses } from './pauses.js';
import { steadyLoad } from './steady-load.js';

// A client with a heap of its own: what its parent has in memory makes no pauses here.
const takePauses = watchPauses();
process.on('message', (load: Parameters<typeof steadyLoad>[0]) => {
  takePauses();
  void steadyLoad(load).then((seen) => process.send?.({ ...seen, pauses: takePauses() }));
});
process.on('disconnect', () => process.exit());
