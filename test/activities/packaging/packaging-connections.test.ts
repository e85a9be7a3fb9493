import { expect, test } from 'vitest';
import { createPackagingConnections } from '../../../activities/packaging/packaging-connections.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { newConnection, newPackaging } from '../shared/resources.js';

async function open() {
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  await connections.insert(newConnection('docker-ci', { uri: 'registry.example.org' }));
  await connections.insert(newConnection('bucket', { uri: 'gs://bucket' }));
  const [objects, opened] = [createMemoryObjects(), [] as string[]];
  const found = createPackagingConnections({
    connections,
    openStore: async ({ id }) => {
      opened.push(id);
      return objects;
    },
  });
  return {
    target: (given: Packaging, name: string) => found.target(given, name),
    openOutput: (given: Packaging) => found.openOutput(given),
    ...{ objects, opened, connections },
  };
}
const packaging = (spec: object) => newPackaging('wine', spec);
const target = (name: string, connectionName = 'docker-ci') => packaging({ targets: [{ name, connectionName }] });
const deleted = { code: 'run_failed', detail: { reason: 'PackagerFailed' } };

test.each([
  ['container-push', 'container-push', 'docker-ci'],
  ['container-push', 'container-pull', undefined],
  ['', 'container-push', undefined],
])('a target named %s, asked for %s: %s', async (name, asked, expected) => {
  const { target: find } = await open();
  expect((await find(target(name), asked))?.id).toBe(expected);
});

test('a packaging without targets has none', async () => {
  const { target: find } = await open();
  expect(await find(packaging({ targets: [] }), 'container-push')).toBeUndefined();
});

test('a connection that was deleted meanwhile fails the packaging and is named', async () => {
  const { target: find, openOutput, connections, opened } = await open();
  await connections.remove('docker-ci');
  await expect(find(target('container-push'), 'container-push')).rejects.toMatchObject({
    ...deleted,
    message: expect.stringContaining('"docker-ci"'),
  });
  await expect(openOutput(packaging({ outputConnection: 'gone' }))).rejects.toMatchObject(deleted);
  expect(opened).toEqual([]);
});

test('the artifact is read through the output connection', async () => {
  const { openOutput, objects, opened } = await open();
  expect(await openOutput(packaging({ outputConnection: 'bucket' }))).toBe(objects);
  expect(opened).toEqual(['bucket']);
});
