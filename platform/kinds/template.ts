/** `{{ Name }}`, with or without spaces and leading dot. */
const VARIABLE = /\{\{([^{}]*)\}\}/g;
const nameIn = (inner: string): string => inner.trim().replace(/^\./, '');

/** Replaces the variables of a name template; one that `values` does not hold becomes `''`. */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(VARIABLE, (_, inner: string) => {
    const name = nameIn(inner);
    return Object.hasOwn(values, name) ? (values[name] ?? '') : '';
  });
}

/** The fault of a template: a variable that it does not know, or braces that never close. */
export function templateProblem(template: string, names: readonly string[]): string | undefined {
  for (const [, inner = ''] of template.matchAll(VARIABLE)) {
    const name = nameIn(inner);
    if (!names.includes(name)) return `unknown variable "${name}", known are ${names.join(', ')}`;
  }
  return /\{\{|\}\}/.test(template.replace(VARIABLE, '')) ? 'braces do not match' : undefined;
}
