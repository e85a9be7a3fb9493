import { expect, test } from 'vitest';
import { matchesAnyType } from '../../../notifications/events/event-matcher.js';
import { createReaderIndex, type StreamReader } from '../../../workers/compose/reader-index.js';

interface Named extends StreamReader {
  name: string;
}

function open() {
  const index = createReaderIndex<Named>();
  let asked = 0;
  const reader = (name: string, types: string[], streams = ['words']): Named => {
    const wants = matchesAnyType(types);
    return {
      name,
      matcher: { wants: (type) => ((asked += 1), wants(type)) },
      read: new Map(streams.map((stream) => [stream, 0])),
    };
  };
  const names = (readers: Iterable<Named>) => [...readers].map(({ name }) => name).sort();
  return {
    ...{ index, reader },
    asked: () => asked,
    all: (stream: string) => names(index.of(stream)),
    wanting: (stream: string, type: string) => names(index.wanting(stream, type)),
  };
}

test('the readers of a stream are found by the types that they want, families too', () => {
  const { index, reader, all, wanting } = open();
  index.add(reader('created', ['dataset.words.created']));
  index.add(reader('family', ['dataset.words.*']));
  index.add(reader('elsewhere', ['dataset.words.*'], ['other']));
  expect(wanting('words', 'dataset.words.created')).toEqual(['created', 'family']);
  expect(wanting('words', 'dataset.words.deleted')).toEqual(['family']);
  expect(wanting('words', 'pipeline.training.failed')).toEqual([]);
  expect(all('words')).toEqual(['created', 'family']);
  expect(all('unknown')).toEqual([]);
});

test('readers that come and go after a type was asked for are in its answer, and out of it', () => {
  const { index, reader, all, wanting } = open();
  const early = reader('early', ['dataset.words.created']);
  index.add(early);
  expect(wanting('words', 'dataset.words.created')).toEqual(['early']);
  index.add(reader('late', ['dataset.words.*']));
  index.add(reader('other', ['dataset.words.deleted']));
  expect(wanting('words', 'dataset.words.created')).toEqual(['early', 'late']);
  index.remove(early);
  expect(wanting('words', 'dataset.words.created')).toEqual(['late']);
  expect(all('words')).toEqual(['late', 'other']);
});

test('a type is compared with the types of each reader once, however many events of it come', () => {
  const { index, reader, asked, wanting } = open();
  for (let n = 0; n < 50; n += 1) index.add(reader(String(n), [`pipeline.type${n}.*`]));
  for (let n = 0; n < 100; n += 1) wanting('words', 'pipeline.type7.done');
  expect(asked()).toBe(50);
});
