import { startTestGraph } from '../../test/api/reference/graph-data.js';
import { ALL_SCOPES } from '../../test/api/reference/test-reference.js';

/** A service with some rows for tools that try an API by its document: prints its address and a key, ends with Ctrl-C. */
const api = await startTestGraph();
const { secret } = await api.keys.issue({ name: 'tools', scopes: ALL_SCOPES }, 'bench');
console.log(`${api.url}\n${secret}`);
let shown = 0;
setInterval(() => {
  for (const line of api.lines.slice(shown)) if (line.includes('"level":50')) console.log(line.trimEnd());
  shown = api.lines.length;
}, 500);
