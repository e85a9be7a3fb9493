import { SlipwayError } from '../../platform/kinds/errors.js';
import { renderTemplate, templateProblem } from '../../platform/kinds/template.js';

export interface ImageNameValues {
  Name: string;
  Version: string;
  /** Drawn once per generation, so a retry pushes the same tag. */
  RandomUUID: string;
}
const VARIABLES = ['Name', 'Version', 'RandomUUID'] as const satisfies (keyof ImageNameValues)[];
const SAMPLE: ImageNameValues = { Name: 'name', Version: '1', RandomUUID: '00000000-0000-4000-8000-000000000000' };

/** Name of a packager's image when a packaging names none. */
export const DEFAULT_IMAGE_NAME = '{{ Name }}-{{ Version }}:{{ RandomUUID }}';

const SEGMENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const HOST = /^[a-z0-9.-]+(?::\d+)?$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const LONGEST_REPOSITORY = 255;

/**
 * Full name of a built image with its tag (guide serving, 5.2): the rendered template under the push connection's uri.
 * @throws validation_failed, showing the rendered name
 */
export function fullImageName(template: string, values: ImageNameValues, pushUri: string): string {
  const { name, problem } = resolve(template, values, pushUri);
  if (problem !== undefined) throw new SlipwayError('validation_failed', `image name "${name}": ${problem}`);
  return name;
}

/** The fault of a template that any model would have; `pushUri` is known when the target's connection is. */
export function imageNameProblem(template: string, pushUri?: string): string | undefined {
  const problem = templateProblem(template, VARIABLES);
  if (problem !== undefined) return problem;
  const resolved = resolve(template, SAMPLE, pushUri);
  return resolved.problem === undefined ? undefined : `image name "${resolved.name}": ${resolved.problem}`;
}

/** Whether images can be named under an address: `host[:port][/path]`, without a scheme. */
export const isRegistryUri = (uri: string): boolean => uri !== '' && imageNameProblem('image', uri) === undefined;

function resolve(template: string, values: ImageNameValues, pushUri = ''): { name: string; problem?: string } {
  const clean = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toWord(String(value))]));
  const rendered = renderTemplate(template, clean).toLowerCase();
  const registry = withoutLastSlashes(pushUri).toLowerCase();
  const fixed = isFullName(template);
  const named = fixed || registry === '' ? rendered : `${registry}/${rendered}`;
  const { repository, tag = 'latest' } = splitTag(named);
  const name = `${repository}:${tag}`;
  if (fixed && registry !== '' && !repository.startsWith(`${registry}/`)) {
    return { name, problem: 'a full name must lie under the uri of the push connection' };
  }
  const problem = repositoryProblem(repository) ?? (TAG.test(tag) ? undefined : `"${tag}" is not a valid tag`);
  return { name, ...(problem === undefined ? {} : { problem }) };
}

/** Characters that a name may not have become `-`, runs of it collapse, ends are trimmed. */
const toWord = (value: string): string =>
  value
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/([._-])[._-]*/g, '$1')
    .replace(/^[._-]+|[._-]+$/g, '');

/** A loop, since the regular expression takes quadratic time on a uri of nothing but slashes. */
function withoutLastSlashes(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === '/') end -= 1;
  return uri.slice(0, end);
}

/** The template's own text decides, so that no model name (`wine.v1`) can turn a name into an address. */
function isFullName(template: string): boolean {
  const [first = '', ...rest] = renderTemplate(template, {}).split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first.trim().toLowerCase() === 'localhost');
}

function splitTag(name: string): { repository: string; tag?: string } {
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/')
    ? { repository: name.slice(0, colon), tag: name.slice(colon + 1) }
    : { repository: name };
}

function repositoryProblem(repository: string): string | undefined {
  if (repository.length > LONGEST_REPOSITORY) return `longer than ${LONGEST_REPOSITORY} characters`;
  const [first = '', ...rest] = repository.split('/');
  const segments = rest.length > 0 && HOST.test(first) ? rest : [first, ...rest];
  const bad = segments.find((segment) => !SEGMENT.test(segment));
  return bad === undefined ? undefined : `"${bad}" is not a valid part of an image name`;
}
