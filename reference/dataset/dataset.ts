import { z } from 'zod';
import { count, Fields } from './dataset-field.js';
import { fieldNameProblem } from './dataset-names.js';
import { queryWords } from '../lookup/query-words.js';
import { SYNONYM_LIMITS } from '../lookup/synonyms.js';

/** Dotted path of a value, as filters spell it: `customer.id`. */
const Path = z.string('must be a path, such as customer.name').max(400, 'is no path of this dataset');
const paths = (most: number) => z.array(Path, 'must be a list of paths').max(most, `must have at most ${most} paths`);
const Note = z.string('must be text').max(2_000, 'must have at most 2000 characters').nullable().default(null);

const Phrase = z
  .string('must be text')
  .max(SYNONYM_LIMITS.characters, `must have at most ${SYNONYM_LIMITS.characters} characters`)
  .refine((text) => {
    const { length } = queryWords(text);
    return length > 0 && length <= SYNONYM_LIMITS.words;
  }, `must have 1 to ${SYNONYM_LIMITS.words} words`);
const Phrases = z
  .array(Phrase, 'must be a list of words or phrases')
  .min(1, 'must have at least one phrase')
  .max(SYNONYM_LIMITS.phrases, `must have at most ${SYNONYM_LIMITS.phrases} phrases`);
const SynonymSet = z
  .strictObject(
    {
      words: Phrases,
      /** One way: who types one of `words` finds these too, but not the other way round. */
      means: Phrases.optional(),
    },
    'must be an object with words',
  )
  .refine(({ words, means }) => means !== undefined || words.length > 1, 'must have two words or more, or means');

/** The fields that lookup searches, and the weight that ranks them. */
export const DatasetLookup = z.strictObject({
  /** Names: texts and enums. */
  fields: paths(10).min(1, 'must have at least one path'),
  /** Alternative names of a row, ranked after its names; lists of texts are allowed. */
  aliases: paths(20).default([]),
  /** An integer or decimal: of two equal matches the heavier row comes first. */
  weight: Path.nullable().default(null),
  /** Words of one meaning: a lookup of one finds the others. */
  synonyms: z
    .array(SynonymSet, 'must be a list')
    .max(SYNONYM_LIMITS.sets, `must have at most ${SYNONYM_LIMITS.sets} sets`)
    .optional(),
});
export type DatasetLookup = z.infer<typeof DatasetLookup>;

/** Two decimals that are a place together, in degrees. */
const GeoPointPaths = z.strictObject(
  { latitude: Path, longitude: Path },
  'must name the fields latitude and longitude',
);
const GeoPoints = z
  .record(
    z.string().refine((name) => fieldNameProblem(name, { top: true }) === undefined, 'is no name of a point'),
    GeoPointPaths,
    'must be an object of points by name',
  )
  .refine((points) => Object.keys(points).length <= 10, 'must have at most 10 points');

/** A condition that a new state of the whole dataset must fulfil before it is served. */
export const DatasetValidator = z.discriminatedUnion(
  'rule',
  [
    z.strictObject({
      rule: z.literal('row_count'),
      min: count(0, Number.MAX_SAFE_INTEGER).default(0),
      max: count(0, Number.MAX_SAFE_INTEGER).nullable().default(null),
    }),
    z.strictObject({ rule: z.literal('max_drop_percent'), value: count(0, 100) }),
    z.strictObject({ rule: z.literal('unique'), field: Path }),
    z.strictObject({ rule: z.literal('references'), max_missing: count(0, Number.MAX_SAFE_INTEGER).default(0) }),
  ],
  'must be an object with a rule of: row_count, max_drop_percent, unique, references',
);
export type DatasetValidator = z.infer<typeof DatasetValidator>;

/** A named collection of rows with declared fields. */
export const DatasetSpec = z.strictObject(
  {
    title: Note,
    /** Whom the data are from, in the words that their license asks for. */
    attribution: Note,
    fields: Fields,
    lookup: DatasetLookup.nullable().default(null),
    /** Places by name: the condition `=near=` and the order by distance apply to them. */
    points: GeoPoints.optional(),
    validators: z.array(DatasetValidator, 'must be a list').max(50, 'must have at most 50 validators').default([]),
    /** Whether a PUT may replace a row without saying which version of it. */
    allow_blind_put: z.boolean('must be true or false').default(false),
  },
  'must be an object',
);
export type DatasetSpec = z.infer<typeof DatasetSpec>;

/** The declared fields of a dataset at some time. */
export interface DeclaredFields extends Pick<DatasetSpec, 'fields'> {
  /** Rises by one with every change of the declaration; absent where it was not noted. */
  generation?: number;
  /** Position of its entry in the log, when it was read from the log. */
  position?: number;
}

/** A declaration that was accepted. */
export interface Dataset {
  kind: 'Dataset';
  /** Its name, such as `locations`: the path segment under `/v2`. */
  id: string;
  spec: DatasetSpec;
}
