import {
  type FieldNode,
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type FragmentDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export interface SelectionContext {
  fragments: Fragments;
  variables: Variables;
}

/**
 * Collects the selected fields by response name, each with every node that selects it: fragments are expanded, and
 * fields excluded by `@skip` and `@include` are left out (GraphQL, 6.3.2 CollectFields).
 * @param typeName the schema has object types only, so a type condition is met by its own name only
 */
export function collectFields(
  sets: readonly SelectionSetNode[],
  typeName: string,
  { fragments, variables }: SelectionContext,
): Map<string, FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const visited = new Set<string>();

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection, variables)) continue;
      switch (selection.kind) {
        case Kind.FIELD: {
          const name = (selection.alias ?? selection.name).value;
          const known = found.get(name);
          if (known === undefined) found.set(name, [selection]);
          else known.push(selection);
          break;
        }
        case Kind.INLINE_FRAGMENT:
          if ((selection.typeCondition?.name.value ?? typeName) === typeName) collect(selection.selectionSet);
          break;
        case Kind.FRAGMENT_SPREAD: {
          const name = selection.name.value;
          const fragment = fragments.get(name);
          if (visited.has(name) || fragment?.typeCondition.name.value !== typeName) break;
          visited.add(name);
          collect(fragment.selectionSet);
          break;
        }
      }
    }
  }

  for (const set of sets) collect(set);
  return found;
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
  );
}
