import { expect, test } from 'vitest';
import type { ContainerInspectInfo } from 'dockerode';
import { toContainerState } from '../../../platform/engines/docker/state.js';

const AT = '2026-01-02T03:04:05Z';
const STATE = {
  Status: 'exited',
  Running: false,
  Paused: false,
  OOMKilled: false,
  ExitCode: 0,
  Error: '',
  StartedAt: AT,
  FinishedAt: AT,
};

/** The part of an inspection that counts. */
function inspected(state: Partial<typeof STATE>, ports: object | null = {}): ContainerInspectInfo {
  const info: unknown = {
    State: { ...STATE, ...state },
    HostConfig: { Memory: 1_000 },
    NetworkSettings: { Ports: ports },
  };
  return info as ContainerInspectInfo;
}

test.each([
  ['podman, exit code 0', { Status: 'created' }],
  ['podman, before its first start', { Status: 'configured' }],
  ['docker, exit code 127', { Status: 'created', ExitCode: 127, Error: 'no such file' }],
])('a start that failed is no exit: %s', (_, state) => {
  expect(toContainerState(inspected(state))).toEqual({ phase: 'created' });
});

test.each([
  ['the engine says so', { ExitCode: 137, OOMKilled: true }, 0, true],
  ['it had 98 percent of its memory', { ExitCode: 137 }, 980, true],
  ['it had less', { ExitCode: 137 }, 979, false],
  ['it ended by itself with all of its memory', { ExitCode: 1 }, 1_000, false],
])('out of memory: %s', (_, state, peak, outOfMemory) => {
  const note = (bytes: number) => ({ bytes, atMs: Date.parse(AT), growthPerMs: 0 });
  const trace = { peak: note(peak), last: note(0) };
  expect(toContainerState(inspected(state), trace)).toMatchObject({ phase: 'exited', outOfMemory });
});

test('what is being stopped has no exit code yet', () => {
  const stopping = { Status: 'stopping', FinishedAt: '0001-01-01T00:00:00Z' };
  expect(toContainerState(inspected(stopping))).toMatchObject({ phase: 'running', startedAt: AT });
});

test('published ports are addresses, ports that are only exposed are not there', () => {
  const ports = { '5000/tcp': [{ HostIp: '127.0.0.1', HostPort: '40001' }], '6000/tcp': null };
  const running = { Status: 'running', Running: true };
  expect(toContainerState(inspected(running, ports))).toEqual({
    phase: 'running',
    startedAt: AT,
    ports: { 5000: '127.0.0.1:40001' },
  });
  expect(toContainerState(inspected({ ...running, Status: 'paused', Paused: true }, null))).toEqual({
    phase: 'paused',
    startedAt: AT,
    ports: {},
  });
});
