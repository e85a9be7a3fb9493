const LABEL = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** The fault of a label value; the empty label is one. */
export function labelProblem(value: string): string | undefined {
  if (LABEL.test(value)) return undefined;
  return `${value} must be valid Kubernetes label, i.e. match this pattern: ${LABEL.source}`;
}
