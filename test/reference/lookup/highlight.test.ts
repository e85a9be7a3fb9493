import { expect, test } from 'vitest';
import { createLookupIndex } from '../../../reference/lookup/lookup-index.js';
import type { WorldRow } from './world.js';
import { WORLD_FIELDS, worldOf, worldSource } from './world.js';

/** The first hit as `field: text` with what is highlighted in brackets. */
function shown(row: Omit<WorldRow, 'id'>, query: string): string {
  const rows = worldOf([row]);
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(rows), rows: rows.keys() });
  const [hit] = index.query(query).hits;
  if (!hit) return 'not found';
  const text = worldSource(rows)(0).texts(hit.field)[hit.index] ?? '';
  let marked = '';
  let last = 0;
  for (const [start, end] of hit.ranges) {
    marked += `${text.slice(last, start)}[${text.slice(start, end)}]`;
    last = end;
  }
  return `${hit.field}: ${marked}${text.slice(last)}`;
}

// prettier-ignore
const SHOWN: [Omit<WorldRow, 'id'>, string, string][] = [
  [{ name: 'São Paulo' }, 'sao pa', 'name: [São] [Pa]ulo'],
  [{ name: 'São Paulo'.normalize('NFD') }, 'sa', `name: [${'Sã'.normalize('NFD')}]o Paulo`],
  [{ name: 'São Paulo' }, 'paulo sao', 'name: [São] [Paulo]'],
  [{ name: 'Straße' }, 'stras', 'name: [Straß]e'],
  [{ name: "'s-Hertogenbosch" }, 's hert', "name: '[s]-[Hert]ogenbosch"],
  [{ name: "O'Neill" }, 'on', "name: [O'N]eill"],
  [{ name: '😀 Berlin' }, 'ber', 'name: 😀 [Ber]lin'],
  [{ name: '𝔅𝔢𝔯𝔩𝔦𝔫' }, 'ber', 'name: [𝔅𝔢𝔯]𝔩𝔦𝔫'],
  [{ name: '서울' }, '서', 'name: [서]울'],
  [{ name: 'Springfield' }, 'sprng', 'name: [Spring]field'],
  [{ name: 'Paris' }, 'apris', 'name: [Paris]'],
  [{ name: 'New York' }, 'newyor', 'name: [New] [Yor]k'],
  [{ name: 'Springfield' }, 'spring field', 'name: [Springfield]'],
  [{ name: 'Paris', other: 'Lutetia' }, 'lut', 'other: [Lut]etia'],
  [{ name: 'Paris', country: 'France' }, 'fra', 'country: [Fra]nce'],
  [{ name: 'Paris', country: 'France' }, 'par fra', 'name: [Par]is'],
  [{ name: 'San Santo', country: 'Spain' }, 'san san', 'name: [San] [San]to'],
  [{ name: 'Berlin', other: 'Ost Berlin' }, 'berlin', 'name: [Berlin]'],
  [{ name: 'Ost Berlin', other: 'Berlin' }, 'berlin', 'other: [Berlin]'],
  [{ name: 'مدينة القدس' }, 'القد', 'name: مدينة [القد]س'],
  [{ name: 'Paris', code: ['Panam', 'Lutetia Parisiorum'] }, 'lutetia', 'code: [Lutetia] Parisiorum'],
  [{ name: 'Paris' }, '', 'name: Paris'],
];
test.each(SHOWN)('%j, typed %j', (row, query, text) => {
  expect(shown(row, query)).toBe(text);
});
