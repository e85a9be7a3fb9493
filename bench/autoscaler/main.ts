import { simulate, TRACES, type Tick } from './simulator.js';

const SECONDS = 480;
const WIDTH = 40;

/** A line for each 10 seconds: `#` ready, `+` wanted and not ready yet. */
function draw(ticks: readonly Tick[]): string[] {
  const most = Math.max(...ticks.map(({ desired, ready }) => Math.max(desired, ready)));
  const scale = Math.min(1, WIDTH / most);
  return ticks
    .filter(({ second }) => second % 10 === 0)
    .map(({ second, load, desired, ready }) => {
      const bar = '#'.repeat(Math.ceil(Math.min(ready, desired) * scale));
      const coming = '+'.repeat(Math.ceil(Math.max(0, desired - ready) * scale));
      const cells = [second, load.toFixed(1), desired, ready].map((cell) => String(cell).padStart(7));
      return `${cells.join(' ')}  ${bar}${coming}`;
    });
}

for (const [name, load] of Object.entries(TRACES)) {
  const lines = draw(simulate({ load, seconds: SECONDS }));
  const head = ['second', 'load', 'wanted', 'ready'].map((cell) => cell.padStart(7)).join(' ');
  process.stdout.write(`\n${name}\n${head}\n${lines.join('\n')}\n`);
}
