import type { Place } from '../../examples/reference-data/places.js';
import type { LookupSource } from '../../reference/lookup/document.js';

export const PLACE_FIELDS = { names: ['name'], aliases: ['country_name', 'admin_code'] };

type Shown = Pick<Place, 'id' | 'name' | 'countryName' | 'adminCode' | 'population'>;

export function sourceOf(rows: readonly Shown[]): LookupSource {
  return (row) => {
    const { id = 0n, name = '', countryName = '', adminCode = '', population } = rows[row] ?? {};
    return {
      id,
      weight: population,
      texts: (field) => [field === 'name' ? name : field === 'country_name' ? countryName : adminCode],
    };
  };
}
