import { expect, test } from 'vitest';
import { KeptDocuments } from '../../../platform/stores/kept-documents.js';

const document = (text: string) => ({ text, list: [1, { a: null }], 'ünï.$': '\u0000' });

test('documents come back as they were kept, and a change of one that was read changes none', () => {
  const kept = new KeptDocuments<{ text: string }>({ maxBytes: 10_000 });
  kept.set('a', document('a'));
  kept.set('a', document('another'));
  const read = kept.get('a');
  if (read) read.text = 'changed';
  expect([kept.get('a'), kept.get('b')]).toEqual([document('another'), undefined]);
});

test('a document that finds no room is not kept, nor is the one that it replaces', () => {
  const kept = new KeptDocuments<object>({ maxBytes: 450 });
  kept.set('a', document('a'));
  kept.set('b', document('b'));
  kept.set('c', document('c'));
  expect([kept.get('b'), kept.get('c')]).toEqual([document('b'), undefined]);
  kept.set('b', document('b'.repeat(500)));
  expect(kept.get('b')).toBeUndefined();
  kept.delete('a');
  for (const id of ['c', 'd']) kept.set(id, document(id));
  expect([kept.get('a'), kept.get('c'), kept.get('d')]).toEqual([undefined, document('c'), document('d')]);
});
