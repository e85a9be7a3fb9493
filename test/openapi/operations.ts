import type { oas31 } from 'openapi3-ts';

type Node = Readonly<Record<string, unknown>>;
export interface Operation {
  method: string;
  path: string;
  id: string;
  operation: oas31.OperationObject;
  /** Its own parameters and those of its path. */
  parameters: oas31.ParameterObject[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** As a client gets it: parsed JSON. */
export const asRead = (document: oas31.OpenAPIObject) => JSON.parse(JSON.stringify(document)) as oas31.OpenAPIObject;

/** The node that a pointer such as `#/components/schemas/Error` leads to. */
export function resolve(document: object, pointer: string): unknown {
  const steps = pointer
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document);
}

export function operationsOf(document: oas31.OpenAPIObject): Operation[] {
  const resolved = (given: oas31.ParameterObject | oas31.ReferenceObject) =>
    ('$ref' in given ? resolve(document, given.$ref) : given) as oas31.ParameterObject;
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved);
      return [{ method: method.toUpperCase(), path, id: operation.operationId ?? '', operation, parameters }];
    }),
  );
}

/** Every object of a document with its pointer. */
export function* nodesOf(node: unknown, pointer = '#'): Generator<[pointer: string, node: Node]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [pointer, node as Node];
  for (const [key, value] of Object.entries(node)) {
    yield* nodesOf(value, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}
