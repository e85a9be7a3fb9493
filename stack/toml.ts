type TomlValue = string | number | readonly (string | Record<string, string | number>)[];

/** As much of TOML as podman's settings use: tables of texts, numbers and lists, which are JSON's. */
export function toToml(tables: Record<string, Record<string, TomlValue>>): string {
  return Object.entries(tables)
    .map(([name, values]) => [
      `[${name}]`,
      ...Object.entries(values).map(([key, value]) => `${key} = ${print(value)}`),
      '',
    ])
    .flat()
    .join('\n');
}

function print(value: TomlValue): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  const items = value.map((item) =>
    typeof item === 'string'
      ? JSON.stringify(item)
      : `{${Object.entries(item)
          .map(([key, part]) => `${key} = ${JSON.stringify(part)}`)
          .join(', ')}}`,
  );
  return `[${items.join(', ')}]`;
}
