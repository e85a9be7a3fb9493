import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLock, readLock } from '../../../activities/shared/lock.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';

const HASH = `--hash=sha256:${'0a'.repeat(32)}`;
const parse = (text: string) => parseLock(text, 'the lock', 'PackagerFailed');

test('of a lock the pins and their hashes count, and neither comments nor markers', () => {
  const text = `# made by hand\r\na==1\nc[x,y]==3.0 # why\nD.e_f==4+cpu;x\ng==1!2.0.post1 \\\n    ${HASH} \\\r\n    ${HASH}\nh==5 ; python_version < "3.12" ${HASH}\n\n`;
  expect(parse(text)).toEqual([
    'a==1',
    'c[x,y]==3.0',
    'D.e_f==4+cpu',
    `g==1!2.0.post1 ${HASH} ${HASH}`,
    `h==5 ${HASH}`,
  ]);
});

test.each([
  'b>=2',
  'b',
  'b==1.*',
  'b===1',
  '-e .',
  '-r other.txt',
  '--index-url https://evil.example/simple',
  '--find-links=/tmp',
  '--hash=sha256:x',
  'a==1 --hash=md5:00',
  `a==1 ${HASH} --index-url https://evil.example`,
  'a==1 ; x --index-url https://evil.example',
  'a==1 \\\n--extra-index-url https://evil.example',
  'a @ https://evil.example/a-1.tar.gz',
  'git+https://evil.example/a.git',
  'https://evil.example/a-1-py3-none-any.whl',
  './a-1-py3-none-any.whl',
  'a==1 b==2',
  'a==1\u2028--pre',
])('the line %j is refused with the remedy', async (line) => {
  const refused = { code: 'run_failed', detail: { reason: 'PackagerFailed' } };
  const message = expect.stringMatching(/^the lock holds ".*name==version.*pin the package/s) as string;
  await expect((async () => parse(`ok==1\n${line}\n`))()).rejects.toMatchObject({ ...refused, message });
});

test('a line with a long run of blanks is refused at once', () => {
  expect(() => parse(`a==1${' '.repeat(500_000)}x`)).toThrow(/pin the package/);
});

test('a lock that is missing is empty, one that is a folder or too large is refused', () =>
  withScratchFolder(async (folder) => {
    const read = (name: string) => readLock(join(folder, name), 'the lock', 'PackagerFailed');
    await mkdir(join(folder, 'folder'));
    await writeFile(join(folder, 'large'), 'a==1\n'.repeat(4_000_000));
    expect(await read('none')).toEqual([]);
    for (const name of ['folder', 'large']) await expect(read(name)).rejects.toThrow(/at most 16777216 bytes/);
  }));
