import type { EventEmitter } from 'node:events';
// @ts-expect-error The driver declares no types for its parts.
import { Connection } from 'mongodb/lib/cmap/connection.js';

interface DriverConnection extends EventEmitter {
  writeCommand: (this: DriverConnection, ...given: unknown[]) => Promise<void>;
  error: Error | null;
}

/**
 * Mends a fault of the driver (seen in 7.8.0 and 7.9.0). When all connections break at once, the first operation that
 * notices makes the monitor ask the server again, over a connection whose socket is destroyed but not reported closed
 * yet. A write to such a socket waits for a `drain` that never comes, and no time limit ends it: the server stays
 * unknown and each operation fails until the process restarts. Here a write ends with its connection.
 */
export function mendDriver(): void {
  const driver = (Connection as { prototype: DriverConnection }).prototype;
  const { writeCommand } = driver;
  driver.writeCommand = async function (...given) {
    let onClose = () => {};
    const closed = new Promise<never>(
      (_resolve, reject) => (onClose = () => reject(this.error ?? new Error('closed'))),
    );
    this.once('close', onClose);
    try {
      await Promise.race([writeCommand.apply(this, given), closed]);
    } finally {
      this.off('close', onClose);
    }
  };
}
