import { gzipSync } from 'node:zlib';
import { type TarEntry, tarOf, zipOf } from '../../activities/shared/archives.js';

/** An artifact of which no image may be made. */
export interface HostileArtifact {
  name: string;
  bytes: () => Promise<Buffer> | Buffer;
  reason: string;
  /** Part of the message of the failed packaging. */
  says: string;
}

const MEBI = 2 ** 20;
const PROJECT = 'model: {name: wine, version: "1", workDir: model}\n';
const files = (changes: Partial<Record<string, string>> = {}): TarEntry[] =>
  Object.entries({ 'platform.model.yaml': PROJECT, 'model/entrypoint.py': '', 'lock.txt': '', ...changes }).map(
    ([name, content = '']) => ({ name, content }),
  );
const withEntry = async (...entries: TarEntry[]): Promise<Buffer> => gzipSync(await tarOf([...files(), ...entries]));
const withLock = async (lock: string): Promise<Buffer> => gzipSync(await tarOf(files({ 'lock.txt': lock })));
const withProject = async (text: string): Promise<Buffer> =>
  gzipSync(await tarOf(files({ 'platform.model.yaml': text })));
/** A file of 1.25 GiB in 1.3 MB: the members of a gzip file may repeat. */
async function bomb(): Promise<Buffer> {
  const header = (await tarOf([{ name: 'bomb', type: 'file', size: 1_280 * MEBI, content: '' }])).subarray(0, 512);
  return Buffer.concat([gzipSync(header), ...Array.from({ length: 20 }, () => zeros)]);
}
const zeros = gzipSync(Buffer.alloc(64 * MEBI));
/** A YAML text that is 10^9 items long when its aliases are followed. */
const laughs = Array.from({ length: 9 }, (_, at) => {
  const item = at === 0 ? '"ha"' : `*a${at - 1}`;
  return `a${at}: &a${at} [${Array.from({ length: 10 }, () => item).join(',')}]`;
}).join('\n');

// prettier-ignore
export const ARTIFACTS: readonly HostileArtifact[] = [
  { name: 'a parent',            bytes: () => withEntry({ name: '../../evil', content: 'x' }),                                   reason: 'PackagerFailed', says: '../../evil' },
  { name: 'the root',            bytes: () => withEntry({ name: '/etc/cron.d/evil', content: 'x' }),                             reason: 'PackagerFailed', says: '/etc/cron.d/evil' },
  { name: 'a link out',          bytes: () => withEntry({ name: 'model/l', type: 'symlink', linkname: '/etc/shadow' }),          reason: 'PackagerFailed', says: 'model/l' },
  { name: 'a file behind a link', bytes: () => withEntry({ name: 'l', type: 'symlink', linkname: 'model' }, { name: 'l/x', content: 'x' }), reason: 'PackagerFailed', says: 'l/x' },
  { name: 'a hard link out',     bytes: () => withEntry({ name: 'h', type: 'link', linkname: '/etc/passwd' }),                   reason: 'PackagerFailed', says: '/etc/passwd' },
  { name: 'a device',            bytes: () => withEntry({ name: 'd', type: 'block-device', devmajor: 8, devminor: 0 }),          reason: 'PackagerFailed', says: '"d"' },
  { name: 'a file twice',        bytes: () => withEntry({ name: 'model/entrypoint.py', content: 'evil' }),                       reason: 'PackagerFailed', says: 'model/entrypoint.py' },
  { name: 'a bomb',              bytes: () => bomb(),                    reason: 'PackagerFailed', says: 'times' },
  { name: 'a zip that lies',     bytes: () => zipOf([{ name: 'a', content: 'x', claimedBytes: 2 ** 31 }]),                       reason: 'PackagerFailed', says: '200 times' },
  { name: 'a zip of a parent',   bytes: () => zipOf([{ name: '../evil', content: 'x' }]),                                        reason: 'PackagerFailed', says: '../evil' },
  { name: 'no archive',          bytes: () => Buffer.from('#!/bin/sh\nreboot\n'),                                                reason: 'PackagerFailed', says: 'no tar archive' },
  { name: 'half an archive',     bytes: async () => (await withEntry({ name: 'a', content: 'x'.repeat(10_000) })).subarray(0, 150), reason: 'PackagerFailed', says: 'unexpected end of file' },
  { name: 'a project of laughs', bytes: () => withProject(`${laughs}\nmodel: *a8\n`),                                            reason: 'PackagerFailed', says: 'platform.model.yaml' },
  { name: 'a project of a tag',  bytes: () => withProject('model: !!js/function "function() {}"\n'),                             reason: 'PackagerFailed', says: 'platform.model.yaml' },
  { name: 'a project of 2 MiB',  bytes: () => withProject(`# ${'x'.repeat(2 * MEBI)}\n${PROJECT}`),                              reason: 'PackagerFailed', says: 'longer than 1048576' },
  { name: 'a model at a parent', bytes: () => withProject(PROJECT.replace('workDir: model', 'workDir: ../..')),                  reason: 'PackagerFailed', says: 'no folder "../.."' },
  { name: 'a lock of a URL',     bytes: () => withLock('evil @ https://evil.example/evil.tar.gz\n'),                             reason: 'PackagerFailed', says: 'https://evil.example' },
  { name: 'a lock of an index',  bytes: () => withLock('--index-url http://127.0.0.1:1/\nnumpy==2.1.0\n'),                       reason: 'PackagerFailed', says: '--index-url' },
  { name: 'a lock of a path',    bytes: () => withLock('-e /etc\n'),                                                             reason: 'PackagerFailed', says: '-e /etc' },
  { name: 'a lock of a file',    bytes: () => withLock('-r /etc/passwd\n'),                                                      reason: 'PackagerFailed', says: '-r /etc/passwd' },
  { name: 'a lock of an option', bytes: () => withLock('numpy==2.1.0 --config-settings=x\n'),                                    reason: 'PackagerFailed', says: '--config-settings' },
  { name: 'a lock of 20 MiB',    bytes: () => withLock('# x\n'.repeat(5 * MEBI)),                                                reason: 'PackagerFailed', says: 'at most 16777216 bytes' },
];
