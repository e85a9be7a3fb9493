import type { oas31 } from 'openapi3-ts';
import { createDocument } from './lifecycle/document.js';
import { createReferenceDocument } from './reference/document.js';

const HEADER = `# Made of the OpenAPI documents by npm run client:types; a test compares the two. Do not edit.
from __future__ import annotations

from typing import Any, Callable
from urllib.parse import quote

Send = Callable[..., Any]


def _part(value: object) -> str:
    return quote(str(value), safe="")
`;
const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** The file clients/python/slipway_client/operations.py: a method for every operation of both documents. */
export const createPythonClient = (): string =>
  [
    HEADER,
    classOf('ManagementApi', 'The management API: everything under /api/v1.', createDocument({ version: '1' })),
    classOf(
      'ReferenceApi',
      'Reference data and notifications: everything under /v2.',
      createReferenceDocument('1', []),
    ),
  ].join('\n\n');

function classOf(name: string, summary: string, { paths = {} }: oas31.OpenAPIObject): string {
  const methods = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [methodOf(method, path, operation, item.parameters ?? [])];
    }),
  );
  const start = `class ${name}:\n    """${summary}"""\n\n    def __init__(self, send: Send) -> None:\n        self._send = send\n`;
  return [start, ...methods].join('\n');
}

function methodOf(
  method: string,
  path: string,
  { operationId = '', summary = '', parameters = [], requestBody }: oas31.OperationObject,
  shared: NonNullable<oas31.PathItemObject['parameters']>,
): string {
  const all = [...shared, ...parameters].filter((each): each is oas31.ParameterObject => 'in' in each);
  const inPath = all.filter((each) => each.in === 'path').map((each) => each.name);
  const queries = all.filter((each) => each.in === 'query');
  const body = requestBody && 'content' in requestBody ? Object.keys(requestBody.content) : [];
  const [type = 'application/json'] = body;
  const named = [
    ...queries.map(({ name, required }) => `${snake(name)}: Any${required ? '' : ' = None'}`),
    ...(body.length > 0 ? ['body: Any = None', `content_type: str = "${type}"`] : []),
    'headers: dict[str, str] | None = None',
  ];
  const given = [
    `"${method.toUpperCase()}"`,
    `f"${path.replaceAll(/{(\w+)}/g, (_, name: string) => `{_part(${snake(name)})}`)}"`,
    ...(queries.length > 0 ? [`query={${queries.map(({ name }) => `"${name}": ${snake(name)}`).join(', ')}}`] : []),
    ...(body.length > 0 ? ['body=body', 'content_type=content_type'] : []),
    'headers=headers',
  ];
  const signature = ['self', ...inPath.map((name) => `${snake(name)}: object`), '*', ...named];
  return `    def ${snake(operationId).replace('any_dataset', 'rows')}(
        ${signature.join(',\n        ')},
    ) -> Any:
        """${summary}"""
        return self._send(
            ${given.join(',\n            ')},
        )
`;
}

const KEYWORDS = new Set(['from', 'import', 'class', 'global']);

/** `getModelTraining` is `get_model_training`; a keyword of Python ends with an underscore. */
function snake(name: string): string {
  const text = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W/g, '_')
    .toLowerCase();
  return KEYWORDS.has(text) ? `${text}_` : text;
}
