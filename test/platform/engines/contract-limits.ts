import { expect, test } from 'vitest';
import { eventually, exited, launch, MIB, run, shell, type Subject } from './harness.js';

export function limitContract(subject: Subject): void {
  const { engine, image } = subject;

  test('a container has no rights: not root, no capabilities, no new ones, nothing to write on', async () => {
    const script = 'id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; touch /x /usr/x 2>&1 | wc -l';
    const { lines } = await run(subject, script);
    expect(lines.map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
      '10001',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      '2',
    ]);
  });

  test('another user can be named', async () => {
    expect((await run(subject, 'id -u; id -g', { user: '20002:20003' })).lines).toEqual(['20002', '20003']);
  });

  test('open files and processes are limited', async () => {
    const python = 'import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_NPROC))';
    expect((await run(subject, `python3 -c '${python}'`)).lines).toEqual(['(4096, 4096) (8192, 8192)']);
    const forks = 'for i in $(seq 40); do sleep 2 & done; wait';
    const limits = { cpus: 1, memoryBytes: 64 * MIB, pids: 20 };
    expect((await run(subject, forks, { limits })).lines.join('\n')).toMatch(/fork/i);
  });

  test('a program that takes too much memory is killed for that', async () => {
    const program = 'import time\nx = []\nwhile True: x.append(bytearray(1 << 20)); time.sleep(0.005)';
    const limits = { cpus: 1, memoryBytes: 256 * MIB };
    const spec = shell(image, '', { limits });
    const handle = await launch(subject, { ...spec, command: ['python3', '-c', program] });
    expect(await exited(subject, handle)).toMatchObject({ exitCode: 137, outOfMemory: true });
  });

  test('a program that is killed with memory to spare was not out of memory', async () => {
    const { end } = await run(subject, 'exit 137');
    expect(end).toMatchObject({ exitCode: 137, outOfMemory: false });
  });

  test('the disk space of a container is that of its volumes, also of folders that its program closed', async () => {
    const script =
      'mkdir /workspace/own && head -c 30000000 /dev/zero > /workspace/own/f && chmod 0 /workspace/own && sleep 60';
    const handle = await launch(subject, shell(image, script, { volumes: ['/workspace'] }));
    const bytes = await eventually(async () => {
      const now = await engine.diskBytes(handle);
      return now !== undefined && now >= 30_000_000 ? now : undefined;
    });
    expect(bytes).toBeLessThan(31_000_000);
    expect(await engine.diskBytes({ name: 'nothing' })).toBeUndefined();
  });

  test('stats tell what a running container uses', async () => {
    const program = 'x = bytearray(40 << 20); i = 0\nwhile True: i += 1';
    const handle = await launch(subject, { ...shell(image, ''), command: ['python3', '-c', program] });
    const stats = await eventually(async () => {
      const now = await engine.stats(handle);
      return now && now.cpuSeconds > 0.2 && now.memoryBytes > 40 * MIB ? now : undefined;
    });
    expect(stats.memoryBytes).toBeLessThan(128 * MIB);
    expect(stats.peakMemoryBytes).toBeGreaterThanOrEqual(stats.memoryBytes);
    await engine.stop(handle, 0);
    expect(await engine.stats(handle)).toBeUndefined();
  });
}
