/** Ctrl-C. What runs on the platform goes on; a command that waits says how to see it again. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
