import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { PackageVersion } from './lock-packages.js';

/** A file of the model, by its path in the artifact. */
export interface ModelFile {
  path: string;
  /** Hex. */
  sha256: string;
}

/** Everything that is in an image, as far as the platform knows it. */
export interface ImageContents {
  /** Name of the repository. */
  image: string;
  /** `sha256:...` of the manifest. */
  digest: string;
  model: { name: string; version: string; artifactSha256: string; files: readonly ModelFile[] };
  /** `digest` as `sha256:...`. */
  base: { image: string; digest: string };
  /** Python packages by the layer that they are in. */
  packages: Readonly<Record<'base' | 'environment' | 'server', readonly PackageVersion[]>>;
}

/** A larger model is described by the digest of its artifact and by so many of its files. */
const MOST_FILES = 10_000;

const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));

/**
 * Bill of materials of an image: CycloneDX 1.6, a JSON object. It has no serial number and no time, so that the same image
 * gives the same text.
 */
export function imageSbom(contents: ImageContents): Record<string, unknown> {
  const { image, digest, model, base, packages } = contents;
  const bom = new Models.Bom();
  bom.metadata.component = container(image, model.version, digest);
  bom.components.add(container(base.image, undefined, base.digest, 'base'));
  bom.components.add(modelComponent(model));
  for (const layer of ['base', 'environment', 'server'] as const)
    for (const each of packages[layer]) bom.components.add(packageComponent(each, layer));
  return JSON.parse(serializer.serialize(bom, { sortLists: true })) as Record<string, unknown>;
}

/** Number of packages that a bill of materials lists. */
export const countPackages = (sbom: unknown): number =>
  componentsOf(sbom).filter(({ purl }) => purl?.startsWith('pkg:pypi/')).length;

function componentsOf(sbom: unknown): { purl?: string }[] {
  const { components } = (sbom ?? {}) as { components?: unknown };
  return Array.isArray(components) ? (components as { purl?: string }[]) : [];
}

function container(name: string, version: string | undefined, digest: string, layer?: string): Models.Component {
  const component = new Models.Component(Enums.ComponentType.Container, name, {
    ...(version !== undefined && { version }),
    bomRef: `${name}@${digest}`,
  });
  component.hashes.set(Enums.HashAlgorithm['SHA-256'], digest.replace(/^sha256:/, ''));
  if (layer !== undefined) component.properties.add(inLayer(layer));
  return component;
}

function modelComponent({ name, version, artifactSha256, files }: ImageContents['model']): Models.Component {
  const component = new Models.Component(Enums.ComponentType.MachineLearningModel, name, {
    version,
    bomRef: `model/${name}@${version}`,
  });
  component.hashes.set(Enums.HashAlgorithm['SHA-256'], artifactSha256);
  component.properties.add(inLayer('model'));
  component.properties.add(new Models.Property('slipway:files', String(files.length)));
  for (const { path, sha256 } of files.slice(0, MOST_FILES)) {
    const file = new Models.Component(Enums.ComponentType.File, path, { bomRef: `file/${path}` });
    file.hashes.set(Enums.HashAlgorithm['SHA-256'], sha256);
    component.components.add(file);
  }
  return component;
}

function packageComponent({ name, version }: PackageVersion, layer: string): Models.Component {
  const component = new Models.Component(Enums.ComponentType.Library, name, {
    ...{ version, purl: `pkg:pypi/${name}@${encodeURIComponent(version)}` },
    bomRef: `${layer}/${name}@${version}`,
  });
  component.properties.add(inLayer(layer));
  return component;
}

const inLayer = (layer: string): Models.Property => new Models.Property('slipway:layer', layer);
