import type { Candidate } from './candidate.js';
import type { Issue } from './errors.js';

/** The findings of a validator, in the order of its checks: that order is contract (management API, section 1.1). */
export interface Findings {
  add(path: string, code: string, message: string): void;
  /** Adds a finding if there is one to add. */
  addIf(path: string, code: string, message: string | undefined): void;
  /**
   * Says where the field's own text would stand that the field, or what holds it, has a wrong type.
   * @returns whether it has, so that nothing else is said of it
   */
  misfit(path: string): boolean;
  /** Everything found; last the wrong types of fields that have no text of their own. */
  all(): Issue[];
}

export function createFindings({ misfits }: Pick<Candidate<unknown>, 'misfits'>): Findings {
  const found: Issue[] = [];
  const said = new Set<Issue>();
  const say = (issue: Issue) => {
    if (!said.has(issue)) found.push(issue);
    said.add(issue);
  };
  const add = (path: string, code: string, message: string) => void found.push({ path, code, message });
  return {
    add,
    addIf(path, code, message) {
      if (message !== undefined) add(path, code, message);
    },
    misfit(path) {
      const matching = misfits.filter((issue) => path === issue.path || path.startsWith(`${issue.path}.`));
      matching.forEach(say);
      return matching.length > 0;
    },
    all() {
      misfits.forEach(say);
      return found;
    },
  };
}
