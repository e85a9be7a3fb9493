/** Prints each step with its time, and all of them at the end. */
export function createSteps() {
  const times: { title: string; seconds: number }[] = [];
  const begun = performance.now();

  return {
    async step<T>(title: string, work: () => Promise<T>): Promise<T> {
      console.log(`\n== ${title}`);
      const start = performance.now();
      const result = await work();
      const seconds = (performance.now() - start) / 1_000;
      times.push({ title, seconds });
      console.log(`   (${seconds.toFixed(1)} s)`);
      return result;
    },
    printTimes(): void {
      console.log('\n== time per step');
      for (const { title, seconds } of times) console.log(`${seconds.toFixed(1).padStart(8)} s  ${title}`);
      const total = (performance.now() - begun) / 1_000;
      console.log(`${total.toFixed(1).padStart(8)} s  in all`);
    },
  };
}
export type Steps = ReturnType<typeof createSteps>;

/** One line under the current step. */
export function say(text: string): void {
  console.log(`   ${text}`);
}
