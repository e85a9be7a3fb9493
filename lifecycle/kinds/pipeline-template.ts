import { isRecord } from '../../platform/kinds/lenient.js';

/** The values for the templates of a run. `commit` is known once the reference is resolved. */
export interface PipelineFacts {
  pipeline: string;
  /** Number of the run. */
  run: string;
  commit?: string;
  /** Template of the model's version. */
  version: string;
  /** Values of the run's parameters; each may be a template too. */
  parameters: Readonly<Record<string, string>>;
}

/** A placeholder that has no value: it is unknown, known only later, or depends on itself. */
export class TemplateProblem extends Error {}

/**
 * `{{ name }}`. A name that begins with a capital letter or a dot is not ours: `{{ .Name }}` and `{{ RandomUUID }}` are
 * filled in by the training and the packaging themselves.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const isTheirs = (name: string): boolean => /^\.?[A-Z]/.test(name);

/** Parameters may name each other, so a short spec could ask for a text without end. */
const MOST_CHARACTERS = 1_000_000;

/** Fills in `{{ pipeline }}`, `{{ run }}`, `{{ version }}`, `{{ commit }}` and `{{ parameters.<name> }}` in every text. */
export function createRenderer(facts: PipelineFacts) {
  const plain: Readonly<Record<string, string | undefined>> = {
    pipeline: facts.pipeline,
    run: facts.run,
    commit: facts.commit,
  };
  /** Filled in once, however often it is named. */
  const known = new Map<string, string>();

  const valueOf = (name: string, path: readonly string[]): string => {
    if (path.includes(name)) throw new TemplateProblem(`placeholders form a cycle: ${[...path, name].join(' -> ')}`);
    const template = templateOf(facts, name);
    if (template !== undefined) {
      const value = known.get(name) ?? fill(template, [...path, name]);
      known.set(name, value);
      return value;
    }
    if (!Object.hasOwn(plain, name)) throw new TemplateProblem(`unknown placeholder "${name}", ${knownNames(facts)}`);
    const value = plain[name];
    if (value === undefined) throw new TemplateProblem(`placeholder "${name}" is not known at this place`);
    return value;
  };

  let filledIn = 0;
  const counted = (value: string): string => {
    filledIn += value.length;
    if (filledIn <= MOST_CHARACTERS) return value;
    throw new TemplateProblem(`placeholders stand for more than ${MOST_CHARACTERS} characters`);
  };

  const fill = (text: string, path: readonly string[] = []): string =>
    text.replace(PLACEHOLDER, (whole, inside: string) => {
      const name = inside.trim();
      return isTheirs(name) ? whole : counted(valueOf(name, path));
    });

  /** A copy of any JSON in which every text, and no key, is filled in. @throws TemplateProblem */
  function render<Value>(value: Value): Value {
    const rendered = (item: unknown): unknown => {
      if (typeof item === 'string') return fill(item);
      if (Array.isArray(item)) return item.map(rendered);
      if (isRecord(item)) return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, rendered(entry)]));
      return item;
    };
    return rendered(value) as Value; // texts stay texts, so the shape is the same
  }

  return { render };
}

/** The template behind a name; `undefined` when the name is of something else. */
function templateOf({ version, parameters }: PipelineFacts, name: string): string | undefined {
  if (name === 'version') return version;
  const [, parameter] = /^parameters\.(.+)$/.exec(name) ?? [];
  return parameter !== undefined && Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined;
}

const knownNames = ({ parameters }: PipelineFacts): string => {
  const names = Object.keys(parameters).map((name) => `parameters.${name}`);
  return `known are ${['pipeline', 'run', 'version', 'commit', ...names].join(', ')}`;
};
