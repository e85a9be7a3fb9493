import { startEdge, startModel, wine } from './edge.js';

/** A gateway with a model behind it, in a process that can be killed. */
const model = await startModel(() => ({ body: '{"prediction":[1],"columns":["q"]}' }));
const { url, dir, spoolDir, authorization } = await startEdge([wine([model.url])]);
console.log(JSON.stringify({ url, dir, spoolDir, authorization }));
