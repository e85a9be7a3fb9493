import { renderTemplate, templateProblem } from '../../platform/kinds/template.js';

export interface ArtifactNameValues {
  Name: string;
  Version: string;
  /** Drawn once per generation, so a retry finds the artifact of the attempt before. */
  RandomUUID: string;
  /** `''` when the source was object storage. */
  CommitID: string;
}
const VARIABLES = ['Name', 'Version', 'RandomUUID', 'CommitID'] as const satisfies (keyof ArtifactNameValues)[];

/** File name of a trained artifact: one path segment, whatever the values hold. */
export function renderArtifactName(template: string, values: ArtifactNameValues): string {
  return toSegment(renderTemplate(template, { ...values }));
}

/** The fault of a template of artifact names, as a predicate without subject. */
export function artifactNameProblem(template: string): string | undefined {
  const problem = templateProblem(template, VARIABLES);
  if (problem !== undefined) return problem;
  if (template.includes('/') || template.includes('\\')) return 'a file name has no slash';
  return template.length > 512 ? 'longer than 512 characters' : undefined;
}

const toSegment = (name: string): string => name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'artifact';
