import type { z } from 'zod';
import { DatasetSpec } from './dataset.js';

/** The datasets that an installation declares, empty, at its first start. None refers to a later one. */
export const BUILT_IN_DATASETS: ReadonlyMap<string, DatasetSpec> = new Map(
  Object.entries({
    locations: {
      title: 'Locations',
      fields: {
        name: { type: 'text', required: true, max_length: 200 },
        country: { type: 'text', max_length: 2 },
        country_name: { type: 'text' },
        admin_code: { type: 'text' },
        population: { type: 'integer' },
        latitude: { type: 'decimal' },
        longitude: { type: 'decimal' },
      },
      lookup: { fields: ['name'], aliases: ['country_name', 'admin_code'], weight: 'population' },
      points: { place: { latitude: 'latitude', longitude: 'longitude' } },
    },
    skills: {
      title: 'Skills',
      fields: {
        name: { type: 'text', required: true, max_length: 100 },
        area: { type: 'text' },
        demand: { type: 'integer' },
      },
      lookup: { fields: ['name'], aliases: ['area'], weight: 'demand' },
    },
    positions: {
      title: 'Positions',
      fields: {
        title: { type: 'text', required: true, max_length: 200 },
        staffing_status: {
          type: 'text',
          max_length: 100,
          suggested_values: ['Open', 'Filled', 'On Hold', 'Closed'],
          required: true,
        },
        customer: {
          type: 'object',
          fields: { id: { type: 'id', required: true }, name: { type: 'text' } },
        },
        location: { type: 'ref', dataset: 'locations' },
        skills: { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' } },
        day_rate: { type: 'decimal' },
        starts_on: { type: 'date' },
      },
      lookup: { fields: ['title'], aliases: ['customer.name'], weight: 'day_rate' },
    },
  } satisfies Record<string, z.input<typeof DatasetSpec>>).map(([name, spec]) => [name, DatasetSpec.parse(spec)]),
);
