import { expect, test } from 'vitest';
import fc from 'fast-check';
import { artifactNameProblem, renderArtifactName } from '../../../lifecycle/kinds/artifact-name.js';
import { DEFAULT_IMAGE_NAME, fullImageName, imageNameProblem } from '../../../lifecycle/kinds/image-name.js';

const UUID = '3f2c1b0a-0000-4000-8000-00000000abcd';
const VALUES = { Name: 'Iris_Model', Version: '1.0+rc', RandomUUID: UUID };
const PUSH = 'registry.test:5000/team';

// prettier-ignore
const RENDERED = [
  [DEFAULT_IMAGE_NAME, `${PUSH}/iris_model-1.0-rc:${UUID}`],
  ['{{.Name}}:{{ .Version }}', `${PUSH}/iris_model:1.0-rc`],
  ['Sub/{{Name}}', `${PUSH}/sub/iris_model:latest`],
  [`${PUSH}/fixed:1`, `${PUSH}/fixed:1`],
  [`${PUSH}/{{ Name }}`, `${PUSH}/iris_model:latest`],
] as const;
test.each(RENDERED)('%s', (template, name) => {
  expect(fullImageName(template, VALUES, PUSH)).toBe(name);
  expect(imageNameProblem(template, PUSH)).toBeUndefined();
});

// prettier-ignore
const REFUSED = [
  ['{{ Env }}', 'unknown variable "Env", known are Name, Version, RandomUUID'],
  ['{{ Name', 'braces do not match'],
  ['a b', 'image name "registry.test:5000/team/a b:latest": "a b" is not a valid part of an image name'],
  ['iris:a:b', 'image name "registry.test:5000/team/iris:a:b": "iris:a" is not a valid part of an image name'],
  ['iris:', 'image name "registry.test:5000/team/iris:": "" is not a valid tag'],
  ['localhost/iris', 'image name "localhost/iris:latest": a full name must lie under the uri of the push connection'],
  ['registry.test:5000/teamx/iris', 'image name "registry.test:5000/teamx/iris:latest": a full name must lie under the uri of the push connection'],
] as const;
test.each(REFUSED)('image name %s is refused', (template, problem) => {
  expect(imageNameProblem(template, PUSH)).toBe(problem);
});

test('a push uri of a megabyte of slashes is judged at once', () => {
  const started = performance.now();
  expect(imageNameProblem('iris', `${'/'.repeat(1_000_000)}x`)).toMatch(/longer than 255 characters$/);
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('a name is too long only when it is rendered', () => {
  const values = { ...VALUES, Name: 'n'.repeat(250) };
  expect(imageNameProblem(DEFAULT_IMAGE_NAME, PUSH)).toBeUndefined();
  expect(() => fullImageName(DEFAULT_IMAGE_NAME, values, PUSH)).toThrow(/^image name "registry.*longer than 255/);
});

test('no model can lead its image out of the push connection', () => {
  const word = fc.oneof(fc.string(), fc.stringMatching(/^[a-z.:/@{}-]{0,12}$/));
  fc.assert(
    fc.property(word, word, (Name, Version) => {
      for (const template of [DEFAULT_IMAGE_NAME, '{{ Name }}/{{ Version }}', 'x-{{ Version }}']) {
        try {
          expect(fullImageName(template, { Name, Version, RandomUUID: UUID }, PUSH)).toMatch(
            /^registry\.test:5000\/team\/[a-z0-9._/-]+:[a-z0-9._-]+$/,
          );
        } catch (err) {
          expect(err).toMatchObject({ code: 'validation_failed' });
        }
      }
    }),
  );
});

test('an artifact name is one path segment whatever the values hold', () => {
  const template = '{{ .Name }}-{{.Version}}-{{ CommitID }}-{{ RandomUUID }}.zip';
  const values = { Name: '../a b', Version: '1', RandomUUID: UUID, CommitID: 'c0ffee' };
  expect(renderArtifactName(template, values)).toBe(`-a-b-1-c0ffee-${UUID}.zip`.replace(/^-/, ''));
  expect(renderArtifactName('{{ .CommitID }}', { ...values, CommitID: '' })).toBe('artifact');
});

// prettier-ignore
const BAD_ARTIFACTS = [['a/{{ Name }}', 'a file name has no slash'], ['{{ Name }', 'braces do not match'], ['x'.repeat(513), 'longer than 512 characters']] as const;
test.each(BAD_ARTIFACTS)('artifact name %s is refused', (template, problem) => {
  expect(artifactNameProblem(template)).toBe(problem);
});
