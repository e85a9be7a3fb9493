import { expect, test } from 'vitest';
import { requireFilter } from '../../../reference/filter/index.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { refusal, target } from './positions.js';

/** Formats problems as `code offset+length message -> suggestion`, with the text at that position. */
const reported = (text: string) =>
  refusal(text).map(({ code, message, position, suggestion }) => {
    const { offset = -1, length = 0 } = position ?? {};
    const place = `${offset} [${text.slice(offset, offset + length)}]`;
    return `${code} ${place} ${message}${suggestion === undefined ? '' : ` -> ${suggestion}`}`;
  });

// prettier-ignore
test.each([
  ['staffing_state == Open', ["filter.unknown_field 0 [staffing_state] positions has no field 'staffing_state' -> staffing_status"]],
  ['Title == a', ["filter.unknown_field 0 [Title] positions has no field 'Title' -> title"]],
  ['staffingStatus == Open', ["filter.unknown_field 0 [staffingStatus] positions has no field 'staffingStatus' -> staffing_status"]],
  ['nothing_like_it == a', ["filter.unknown_field 0 [nothing_like_it] positions has no field 'nothing_like_it'"]],
  ['location == 5', ['filter.unknown_field 0 [location] location is an object: name a member of it -> location.id']],
  ['customer == 5', ['filter.unknown_field 0 [customer] customer is an object: name a member of it -> customer.id']],
  ['notes == a', ['filter.not_filterable 0 [notes] positions.notes is declared as not filterable']],
  ['__proto__ == a', ["filter.unknown_field 0 [__proto__] positions has no field '__proto__'"]],
  ['constructor.name == a', ["filter.unknown_field 0 [constructor.name] positions has no field 'constructor.name'"]],
  ['$where == "sleep(1)"', ["filter.unknown_field 0 [$where] positions has no field '$where'"]],
  ['customer.id == abcd', ['filter.bad_type 15 [abcd] customer.id takes an integer']],
  ['customer.id == 0', ['filter.bad_type 15 [0] customer.id takes an integer from 1 to 9223372036854775807, in digits alone']],
  ['id == 9223372036854775808', ['filter.bad_type 6 [9223372036854775808] id takes an integer from 1 to 9223372036854775807, in digits alone']],
  ['id == +1', ['filter.bad_type 6 [+1] id takes an integer from 1 to 9223372036854775807, in digits alone']],
  ['id == 01', ['filter.bad_type 6 [01] id takes an integer from 1 to 9223372036854775807, in digits alone']],
  ['id == 1e3', ['filter.bad_type 6 [1e3] id takes an integer from 1 to 9223372036854775807, in digits alone']],
  ['head_count == 1.0', ['filter.bad_type 14 [1.0] head_count takes an integer of 64 bits']],
  ['day_rate == .5', ['filter.bad_type 12 [.5] day_rate takes a number']],
  ['day_rate == Infinity', ['filter.bad_type 12 [Infinity] day_rate takes a number']],
  ['day_rate == 1e999', ['filter.bad_type 12 [1e999] day_rate takes a number']],
  ['remote == yes', ['filter.bad_type 10 [yes] remote takes true or false']],
  ['starts_on == 2026-02-30', ['filter.bad_type 13 [2026-02-30] starts_on takes a date such as 2026-03-01']],
  ['title == "\u0000"', ['filter.bad_type 9 ["\u0000"] title takes text']],
  ['remote < true', ['filter.bad_type 7 [<] < does not apply to remote, which is boolean']],
  ['staffing_status > Open', ['filter.bad_type 16 [>] > does not apply to staffing_status, which is enum']],
  ['day_rate =like= 5*', ['filter.bad_type 9 [=like=] =like= does not apply to day_rate, which is decimal']],
  ['staffing_status == Opne', ["filter.bad_enum 19 [Opne] positions.staffing_status has no value 'Opne' -> Open"]],
  ['staffing_status =in= (open, Shut)', ["filter.bad_enum 22 [open] positions.staffing_status has no value 'open' -> Open", "filter.bad_enum 28 [Shut] positions.staffing_status has no value 'Shut'"]],
  ['staffing_status == On Hold and remote == true', ['filter.syntax 19 [On Hold] a value with blanks must be quoted -> "On Hold"']],
  ['title == Spring*', ['filter.syntax 9 [Spring*] a bare * has no meaning here: use =like= or quote it -> "Spring*"']],
  ['title == a title == b', ["filter.syntax 11 [title] and or or is missing before 'title'"]],
  ['title = a', ["filter.unknown_operator 6 [=] there is no operator '=' -> =="]],
  ['head_count <> 5', ["filter.unknown_operator 11 [<>] there is no operator '<>' -> !="]],
  ['head_count =< 5', ["filter.unknown_operator 11 [=<] there is no operator '=<' -> <="]],
  ['title =IN= (a)', ["filter.unknown_operator 6 [=IN=] there is no operator '=IN=' -> =in="]],
  ['title =lik= a', ["filter.unknown_operator 6 [=lik=] there is no operator '=lik=' -> =like="]],
  ['title =regexp= a', ["filter.unknown_operator 6 [=regexp=] there is no operator '=regexp='"]],
  ['title like a*', ["filter.unknown_operator 6 [like] there is no operator 'like' -> =like="]],
  ['head_count eq 5', ["filter.unknown_operator 11 [eq] there is no operator 'eq' -> =="]],
  ['title a == b', ["filter.syntax 6 [a] an operator is missing before 'a'"]],
  ['title', ['filter.syntax 5 [] an operator is missing']],
  ['title ==', ['filter.syntax 8 [] a value is missing']],
  ['title == and title == b', ["filter.syntax 13 [title] and or or is missing before 'title'"]],
  ['title == (a', ['filter.syntax 9 [(] this ( is not closed']],
  ['title == ()', ['filter.syntax 10 [)] a value is missing']],
  ['title =in= (a b)', ["filter.syntax 14 [b] a comma is missing before 'b'"]],
  ['title =in= (a,)', ['filter.syntax 14 [)] a value is missing']],
  ['title == (a,b)', ['filter.syntax 10 [a,b)] == takes one value']],
  ['day_rate =between= 5', ['filter.syntax 19 [5] =between= takes two values in parentheses']],
  ['day_rate =between= (1,2,3)', ['filter.syntax 20 [1,2,3)] =between= takes two values in parentheses']],
  ['title =null= maybe', ['filter.bad_type 13 [maybe] =null= takes true or false']],
  ['title == "a', ['filter.syntax 9 ["a] this quote is not closed']],
  ["title == 'a\\'", ["filter.syntax 9 ['a\\'] this quote is not closed"]],
  ['(title == a', ['filter.syntax 0 [(] this ( is not closed']],
  ['title == a)', ['filter.syntax 10 [)] this ) closes nothing']],
  ['()', ['filter.syntax 1 [)] a field is missing']],
  ['not title == a', ['filter.syntax 0 [not] not must be followed by parentheses']],
  ['title == a and', ['filter.syntax 14 [] a field is missing']],
  ['title == a and and title == b', ['filter.syntax 15 [and] a field is missing']],
  ['"title" == a', ['filter.syntax 0 ["title"] a field is missing']],
  ['== a', ['filter.syntax 0 [==] a field is missing']],
  ['', ['filter.empty 0 [] the filter is empty']],
  [' \t\n ', ['filter.empty 0 [ \t\n ] the filter is empty']],
])('%j', (text, expected) => {
  expect(reported(text)).toEqual(expected);
});

test('one answer tells of several problems, of syntax and of types, in the order of the text', () => {
  expect(reported('titel == a and (remote = true or starts_on > soon) and skills.id =in= (1, x, 0) or')).toEqual([
    "filter.unknown_field 0 [titel] positions has no field 'titel' -> title",
    "filter.unknown_operator 23 [=] there is no operator '=' -> ==",
    'filter.bad_type 45 [soon] starts_on takes a date such as 2026-03-01',
    'filter.bad_type 74 [x] skills.id takes an integer',
    'filter.bad_type 77 [0] skills.id takes an integer from 1 to 9223372036854775807, in digits alone',
    'filter.syntax 82 [] a field is missing',
  ]);
});

test('the error is a problem document of the guide', () => {
  let error: unknown;
  try {
    requireFilter('staffing_state==Open and customer.id==abcd', target);
  } catch (err) {
    error = err;
  }
  if (!(error instanceof SlipwayError)) throw error;
  expect({ ...error, message: error.message }).toMatchObject({
    code: 'filter.invalid',
    status: 400,
    message: '2 problems in q',
    problems: [
      {
        code: 'filter.unknown_field',
        message: "positions has no field 'staffing_state'",
        parameter: 'q',
        position: { offset: 0, length: 14, line: 1, column: 1 },
        suggestion: 'staffing_status',
      },
      {
        code: 'filter.bad_type',
        message: 'customer.id takes an integer',
        parameter: 'q',
        position: { offset: 38, length: 4, line: 1, column: 39 },
        expected: ['integer'],
      },
    ],
  });
});

test('lines and columns count from one', () => {
  expect(refusal('title == a and\n  remote == x')[0]?.position).toEqual({ offset: 27, length: 1, line: 2, column: 13 });
});

test('a problem lists what is expected at its position', () => {
  expect(refusal('staffing_status == Opne')[0]?.expected).toEqual(['Open', 'Filled', 'On Hold', 'Closed']);
  expect(refusal('remote < true')[0]?.expected).toEqual(['==', '!=', '=in=', '=out=', '=null=']);
  expect(refusal('(title == a')[0]?.expected).toEqual([')']);
  expect(refusal('title == a)')[0]?.expected).toEqual(['and', 'or', 'the end of the filter']);
});

const terms = (count: number) => Array(count).fill('title==a').join(' or ');
const nested = (depth: number) => `${'('.repeat(depth)}title==a${')'.repeat(depth)}`;
const listed = (count: number) => `head_count=in=(${Array.from({ length: count }, (_, at) => at).join(',')})`;
const long = (bytes: number) => `title=="${'é'.repeat((bytes - 9) / 2)}"`;

// prettier-ignore
test.each([
  ['bytes', long(8_191), long(8_193), 'filter.too_long 0'],
  ['terms', terms(100), terms(101), 'filter.too_many_terms 1200 [title]'],
  ['depth', nested(16), nested(17), 'filter.too_deep 16 [(]'],
  ['depth of not', `${'not('.repeat(16)}title==a${')'.repeat(16)}`, `${'not('.repeat(17)}title==a${')'.repeat(17)}`, 'filter.too_deep 67 [(]'],
  ['values', listed(500), listed(501), 'filter.too_many_values 1905 [500]'],
])('the limit of %s holds at and not above it', (_, fine, refused, problem) => {
  expect(() => requireFilter(fine, target)).not.toThrow();
  const [only, ...others] = reported(refused);
  expect(only?.startsWith(problem)).toBe(true);
  expect(others).toEqual([]);
});

test.each([
  ['parentheses', '('.repeat(8_192)],
  ['more than the limit of them', '('.repeat(1_000_000)],
  ['not', 'not('.repeat(2_048)],
  ['closing ones', ')'.repeat(8_192)],
  ['quotes', '"'.repeat(8_191)],
  ['backslashes', `title=="${'\\'.repeat(8_100)}`],
  ['operators', '=='.repeat(4_096)],
  ['commas', `title=in=(${','.repeat(8_000)}`],
  ['words', 'a '.repeat(4_096)],
  ['one field', 'a'.repeat(8_192)],
  ['unknown fields', 'titel==a;'.repeat(100)],
  ['enum values', `staffing_status=in=(${'Opne,'.repeat(499)}Opne)`],
  ['blanks', ' '.repeat(8_192)],
])('8 KiB of %s are refused with a short answer', (_, text) => {
  const problems = refusal(text);
  expect(problems.length).toBeLessThanOrEqual(20);
  expect(JSON.stringify(problems).length).toBeLessThan(20_000);
});
