import { afterAll, describe, expect, test } from 'vitest';
import { archiveContract } from './contract-archives.js';
import { imageContract } from './contract-images.js';
import { lifeContract } from './contract-life.js';
import { limitContract } from './contract-limits.js';
import { logContract } from './contract-logs.js';
import { networkContract } from './contract-networks.js';
import { removeMade, type Subject } from './harness.js';

/** The contract of every engine driver, whatever its engine. */
export function engineContract(connect: () => Subject, registry: () => string): void {
  const subject = connect();
  afterAll(() => removeMade(subject));

  test('info tells what the host has', async () => {
    const info = await subject.engine.info();
    expect(info.cpus).toBeGreaterThan(0);
    expect(info.memoryBytes).toBeGreaterThan(0);
    expect(info.name).not.toBe('');
  });
  describe('life of a container', () => lifeContract(subject));
  describe('limits', () => limitContract(subject));
  describe('files', () => archiveContract(subject));
  describe('logs', () => logContract(subject));
  describe('networks', () => networkContract(subject));
  describe('images', () => imageContract(subject, registry()));
}
