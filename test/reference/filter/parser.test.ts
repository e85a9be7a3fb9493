import { expect, test } from 'vitest';
import { canonicalText, type Filter } from '../../../reference/filter/index.js';
import { read, shape } from './positions.js';

test('the expression of the specification parses unchanged', () => {
  const filter = read('staffing_status == Open and customer.id != 4060741400035622411');
  expect(shape(filter)).toEqual({
    and: [
      ['staffing_status', '==', 'Open'],
      ['customer.id', '!=', 4060741400035622411n],
    ],
  });
});

// prettier-ignore
test.each([
  ['title==a', ['title', '==', 'a']],
  ['  title\t==\r\na  ', ['title', '==', 'a']],
  ['title==a;title!=b,remote==true', { or: [{ and: [['title', '==', 'a'], ['title', '!=', 'b']] }, ['remote', '==', true]] }],
  ['title==a AND title!=b Or remote==true', { or: [{ and: [['title', '==', 'a'], ['title', '!=', 'b']] }, ['remote', '==', true]] }],
  ['title==a and (title==b or title==c)', { and: [['title', '==', 'a'], { or: [['title', '==', 'b'], ['title', '==', 'c']] }] }],
  ['(title==a and title==b) and title==c', { and: [['title', '==', 'a'], ['title', '==', 'b'], ['title', '==', 'c']] }],
  ['(((title==a)))', ['title', '==', 'a']],
  ['NOT (title==a)', { not: ['title', '==', 'a'] }],
  ['not(not(title==a))', { not: { not: ['title', '==', 'a'] } }],
  ['title == and', ['title', '==', 'and']],
  ['title == or or title == not', { or: [['title', '==', 'or'], ['title', '==', 'not']] }],
  ['title == "On Hold"', ['title', '==', 'On Hold']],
  [`title == 'it''s'`.replace(`''`, String.raw`\'`), ['title', '==', "it's"]],
  [String.raw`title == "a\"b\\c\d"`, ['title', '==', 'a"b\\cd']],
  [String.raw`title == a\b`, ['title', '==', 'a\\b']],
  ['title == ""', ['title', '==', '']],
  ['title == "a*"', ['title', '==', 'a*']],
  ['title == e\u0301', ['title', '==', '\u00e9']],
  ['title == 東京', ['title', '==', '東京']],
  ['head_count =lt= 5', ['head_count', '<', 5n]],
  ['head_count =le= -5', ['head_count', '<=', -5n]],
  ['head_count =gt= 0', ['head_count', '>', 0n]],
  ['head_count =ge= 9223372036854775807', ['head_count', '>=', 9223372036854775807n]],
  ['head_count>=5', ['head_count', '>=', 5n]],
  ['id == 9007199254740993', ['id', '==', 9007199254740993n]],
  ['version > 3', ['version', '>', 3n]],
  ['day_rate == -1.50', ['day_rate', '==', -1.5]],
  ['day_rate == -0', ['day_rate', '==', 0]],
  ['day_rate < 1e3', ['day_rate', '<', 1000]],
  ['starts_on=between=(2026-01-01,2026-12-31)', ['starts_on', '=between=', '2026-01-01', '2026-12-31']],
  ['posted_at < 2026-03-01T00:00:00+01:00', ['posted_at', '<', '2026-02-28T23:00:00.000Z']],
  ['staffing_status =in= (Open, "On Hold")', ['staffing_status', '=in=', 'Open', 'On Hold']],
  ['staffing_status=out=Open', ['staffing_status', '=out=', 'Open']],
  ['location.id =null= true', ['location.id', '=null=', true]],
  ['title =like= Spr*ng?', ['title', '=like=', 'Spr*ng?']],
  ['title =like= "**a b*?*?"', ['title', '=like=', '*a b??*']],
  [String.raw`title =like= "50\*\?\\\x"`, ['title', '=like=', String.raw`50\*\?\\x`]],
  ['skills.id =in= (1, 1152921504606846977)', ['skills.id', '=in=', 1n, 1152921504606846977n]],
])('%s', (text, expected) => {
  expect(shape(read(text))).toEqual(expected);
});

test('every node has its position in the text', () => {
  const text = ' title==a  and not ( remote == true or title=in=(b,c) )';
  const spans: string[] = [];
  const walk = (filter: Filter): void => {
    spans.push(text.slice(filter.start, filter.end));
    if (filter.kind === 'not') walk(filter.term);
    if (filter.kind === 'and' || filter.kind === 'or') filter.terms.forEach(walk);
  };
  walk(read(text));
  expect(spans).toEqual([
    'title==a  and not ( remote == true or title=in=(b,c) )',
    'title==a',
    'not ( remote == true or title=in=(b,c) )',
    'remote == true or title=in=(b,c)',
    'remote == true',
    'title=in=(b,c)',
  ]);
});

// prettier-ignore
test.each([
  ['staffing_status==Open;customer.id!=4060741400035622411', 'staffing_status == Open and customer.id != 4060741400035622411'],
  ['(title==a,title==b);title==c', '(title == a or title == b) and title == c'],
  ['title==a,(title==b;title==c)', 'title == a or title == b and title == c'],
  ['NOT(title==a)', 'not(title == a)'],
  ['head_count=gt=007'.replace('007', '7'), 'head_count > 7'],
  [`title=='On Hold'`, 'title == "On Hold"'],
  ['title=="Open"', 'title == Open'],
  ['title=="a*"', 'title == "a*"'],
  [String.raw`title=='a"\\'`, String.raw`title == "a\"\\"`],
  ['staffing_status=in=("On Hold",Open)', 'staffing_status =in= ("On Hold", Open)'],
  ['day_rate=between=(1.0,2e1)', 'day_rate =between= (1, 20)'],
  ['posted_at<2026-03-01t00:00:00+01:00', 'posted_at < 2026-02-28T23:00:00.000Z'],
  [String.raw`title=like="a \*"`, String.raw`title =like= "a \*"`],
  ['title =like= "Spring*"', 'title =like= Spring*'],
  ['remote=null=false', 'remote =null= false'],
])('%s has the canonical text %s', (text, expected) => {
  expect(canonicalText(read(text))).toBe(expected);
  expect(canonicalText(read(expected))).toBe(expected);
});
