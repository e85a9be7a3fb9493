import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Code that opens connections. Pages run in a browser. */
const OPENS =
  /\bfetch\(|\brequest\(url|new ((Https?)?Agent|Pool|(S3|ECR|Container)?Client|Storage|MongoClient|Docker)\(|Connection\.connect\(|execa\('git'|https?\.(get|request)\(/;
const FOLDERS = ['activities', 'api', 'gateway', 'lifecycle', 'notifications', 'platform', 'reference', 'workers'];

test('each file that opens a connection is in the table of outbound requests', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS], { encoding: 'utf8' }).split(
    '\n',
  );
  const opening = files.filter((file) => file.endsWith('.ts') && OPENS.test(readFileSync(file, 'utf8')));
  const text = readFileSync('docs/security.md', 'utf8');
  const rows = text.slice(text.indexOf('### Outbound requests'), text.indexOf('### Quotas'));
  expect(opening.length).toBeGreaterThan(9);
  expect(opening.filter((file) => !rows.includes(`\`${file}\``))).toEqual([]);
});
