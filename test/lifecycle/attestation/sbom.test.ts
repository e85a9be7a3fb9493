import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { countPackages, imageSbom } from '../../../lifecycle/attestation/sbom.js';
import { CONTENTS, digestOf, hexOf } from './signed-image.js';

const image = { image: 'registry.example/models/wine', digest: digestOf('wine') };

/** A schema that the library brings along. */
const schema = (name: string): object => {
  const path = `../../../node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`;
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as object;
};

test('a bill of materials is CycloneDX 1.6', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  const validate = ajv.compile(schema('bom-1.6'));
  validate(imageSbom({ ...image, ...CONTENTS }));
  expect(validate.errors).toBeNull();
});

test('it lists base, model, files and packages with their layers', () => {
  const { components, metadata } = imageSbom({ ...image, ...CONTENTS }) as {
    metadata: object;
    components: { name: string; purl?: string; properties: object[]; components?: object[] }[];
  };
  expect(metadata).toMatchObject({ component: { type: 'container', name: image.image, version: '3' } });
  const found = (name: string) => components.find((each) => each.name === name);
  const inLayer = (value: string) => ({ properties: expect.arrayContaining([{ name: 'slipway:layer', value }]) });
  expect(found('numpy')).toMatchObject({ purl: 'pkg:pypi/numpy@2.0.0%2Bcpu', ...inLayer('environment') });
  expect(found('pip')).toMatchObject({ version: '24.0', ...inLayer('base') });
  expect(found('granian')).toMatchObject(inLayer('server'));
  expect(found('python:3.11')).toMatchObject({ type: 'container', ...inLayer('base') });
  expect(found('wine')?.components).toMatchObject([
    { type: 'file', name: 'model/b.pkl', hashes: [{ alg: 'SHA-256', content: hexOf('model/b.pkl') }] },
    { type: 'file', name: 'model/MLmodel' },
  ]);
  expect(countPackages(imageSbom({ ...image, ...CONTENTS }))).toBe(4);
});

test('the same contents give the same text, in whatever order they were found', () => {
  const { packages, model } = CONTENTS;
  const reversed = {
    ...CONTENTS,
    model: { ...model, files: [...model.files].reverse() },
    packages: { ...packages, environment: [...packages.environment].reverse() },
  };
  expect(JSON.stringify(imageSbom({ ...image, ...reversed }))).toBe(
    JSON.stringify(imageSbom({ ...image, ...CONTENTS })),
  );
});

test('of a model with very many files the first ones are listed, and how many there are', () => {
  const files = Array.from({ length: 10_001 }, (_, index) => ({ path: `f${index}`, sha256: hexOf('f') }));
  const sbom = imageSbom({ ...image, ...CONTENTS, model: { ...CONTENTS.model, files } });
  const { components } = sbom as { components: { name: string; components?: object[]; properties: object[] }[] };
  const model = components.find(({ name }) => name === 'wine');
  expect(model?.components).toHaveLength(10_000);
  expect(model?.properties).toContainEqual({ name: 'slipway:files', value: '10001' });
});

test.each([undefined, null, {}, { components: 3 }])('%j lists no packages', (sbom) => {
  expect(countPackages(sbom)).toBe(0);
});
