import { isRecord } from './lenient.js';

/** What a run knows before its templates are filled in. `commit` is known once the reference is resolved. */
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
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const isTheirs = (name: string): boolean => /^\.?[A-Z]/.test(name);

/** Fills in `{{ pipeline }}`, `{{ run }}`, `{{ version }}`, `{{ commit }}` and `{{ parameters.<name> }}` in every text. */
export function createRenderer(facts: PipelineFacts) {
  const plain: Readonly<Record<string, string | undefined>> = {
    pipeline: facts.pipeline,
    run: facts.run,
    commit: facts.commit,
  };

  const valueOf = (name: string, path: readonly string[]): string => {
    if (path.includes(name)) throw new TemplateProblem(`placeholders form a cycle: ${[...path, name].join(' -> ')}`);
    if (name === 'version') return fill(facts.version, [...path, name]);
    const [, parameter] = /^parameters\.(.+)$/.exec(name) ?? [];
    if (parameter !== undefined && Object.hasOwn(facts.parameters, parameter)) {
      return fill(facts.parameters[parameter] ?? '', [...path, name]);
    }
    if (!Object.hasOwn(plain, name)) throw new TemplateProblem(`unknown placeholder "${name}", ${known(facts)}`);
    const value = plain[name];
    if (value === undefined) throw new TemplateProblem(`placeholder "${name}" is not known at this place`);
    return value;
  };

  const fill = (text: string, path: readonly string[] = []): string =>
    text.replace(PLACEHOLDER, (whole, name: string) => (isTheirs(name) ? whole : valueOf(name, path)));

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

const known = ({ parameters }: PipelineFacts): string => {
  const names = Object.keys(parameters).map((name) => `parameters.${name}`);
  return `known are ${['pipeline', 'run', 'version', 'commit', ...names].join(', ')}`;
};
