import { z } from 'zod';
import { isAbsent, isRecord } from './record.js';

export { isAbsent, isRecord };

/**
 * Schemas that read what clients send and yield what is stored: `null` is absent everywhere, `""` is absent for every
 * field of an object, unknown fields are dropped (management API, section 1). Their output is the normalized form.
 */
const LONGEST_LIST = 1_000;
const DEEPEST = 20;

/** Keeps the entries of an object that `keep` agrees with; anything but an object passes unchanged. */
const pick = (value: unknown, keep: (entry: unknown) => boolean): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, entry]) => keep(entry))) : value;

/** A number or boolean where text is meant. */
const toText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^[+-]?\d+(\.0+)?$/.test(value) ? Number(value) : value;

const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

/** Text that is always there, `''` when it was not given: the validator says whether that is allowed. */
export const text = (byDefault = '') => z.string().default(byDefault);
export const optionalText = () => z.string().optional();
/** Text that may come as a number or boolean. */
export const castText = () => z.preprocess(toText, z.string().default(''));
export const optionalCastText = () => z.preprocess(toText, z.string().optional());
/** An integer of 32 bits that may come as a string of digits. */
export const integer = (byDefault: number) => z.preprocess(toInteger, z.int32().default(byDefault));
export const optionalInteger = () => z.preprocess(toInteger, z.int32().optional());
/** The message for a value that is no number, where a fraction is one. */
export const NO_NUMBER = 'must be a number';
/** A finite number that may come as text. */
export const number = (byDefault: number) => z.preprocess(toNumber, z.number(NO_NUMBER).default(byDefault));
export const optionalNumber = () => z.preprocess(toNumber, z.number(NO_NUMBER).optional());
export const choice = <const Options extends readonly [string, ...string[]]>(
  options: Options,
  byDefault: Options[number],
) => z.enum(options, `must be one of ${options.join(', ')}`).default(byDefault as never);
export const optionalChoice = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  z.enum(options, `must be one of ${options.join(', ')}`).optional();
export const flag = (byDefault: boolean) => z.boolean().default(byDefault);
export const optionalFlag = () => z.boolean().optional();

/** Absent or `""` reads as `{}`. */
export const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) => (isAbsent(value) ? {} : pick(value, (entry) => entry !== null && entry !== '')),
    z.object(shape),
  );

/** An object with a switch that is on when the object is given, unless the object sets it; `{}` is given. */
export const switchedOn = <Shape extends z.ZodRawShape>(name: keyof Shape & string, shape: Shape) =>
  z.preprocess((value) => {
    if (isAbsent(value)) return {};
    const fields = pick(value, (entry) => entry !== null && entry !== '');
    // Clients send an unused object as one whose fields are all null.
    const isUnused = isRecord(value) && isRecord(fields) && Object.keys(value).length > 0 && isEmpty(fields);
    return isRecord(fields) && !isUnused ? { [name]: true, ...fields } : fields;
  }, z.object(shape));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

export const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(toList, z.array(z.unknown()).max(LONGEST_LIST)).pipe(z.array(item));

/** A list that is absent unless it was given. */
export const optionalList = <Item extends z.ZodType>(item: Item) => z.array(item).max(LONGEST_LIST).optional();

/** Without `null`; the position of an entry counts from there. */
export const toList = (value: unknown): unknown =>
  isAbsent(value) ? [] : Array.isArray(value) ? value.filter((entry: unknown) => entry !== null) : value;

/** A map of text to text, whose values may be numbers or booleans; `""` is a value here. */
export const textMap = () => map(castText());

/** Any JSON that is stored as sent; depth is limited, because the code that stores it recurses. */
export const anyJson = () =>
  z.unknown().refine((value) => depthIsAtMost(DEEPEST, value), `must not be nested deeper than ${DEEPEST} levels`);

/** A map whose values are stored as sent. */
export const anyMap = () => map(anyJson());

const map = <Value extends z.ZodType>(value: Value) =>
  z
    .preprocess(toMap, z.record(z.string(), z.unknown()).refine(isShort, `must have at most ${LONGEST_LIST} entries`))
    .pipe(z.record(z.string(), value));

const toMap = (given: unknown): unknown => (isAbsent(given) ? {} : pick(given, (entry) => entry !== null));

const isShort = (given: object): boolean => Object.keys(given).length <= LONGEST_LIST;

/** Level by level, since a recursion could be driven out of stack. */
function depthIsAtMost(limit: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((entry): unknown[] =>
      typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
    );
    if (level.length === 0) return true;
  }
  return false;
}
