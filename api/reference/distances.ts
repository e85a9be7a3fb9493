import type { Columns } from '../../reference/columns/index.js';
import { distancePath } from '../../reference/dataset/geo-point.js';
import type { Filter, FilterTarget } from '../../reference/filter/index.js';
import { compileDistance, nearsOn } from '../../reference/filter/near.js';

interface Distances extends Pick<FilterTarget, 'points'> {
  /** The filter of the request. */
  filter: Filter | undefined;
  columns: Pick<Columns, 'column'>;
}

/**
 * Adds the member `<point>.distance`, in metres, to the rows of a search whose filter has one condition `=near=` on the
 * point. No field has a dot in its name, so the member hides none.
 */
export function withDistances(
  render: (row: number) => string,
  { filter, points, columns }: Distances,
): (row: number) => string {
  if (filter === undefined) return render;
  const measured = [...(points?.keys() ?? [])].flatMap((point) => {
    const [near, other] = nearsOn(point, filter);
    if (near === undefined || other !== undefined) return [];
    return [{ key: JSON.stringify(distancePath(point)), distanceOf: compileDistance(near, columns) }];
  });
  if (measured.length === 0) return render;
  return (row) => {
    const members = measured.flatMap(({ key, distanceOf }) => {
      const metres = Math.round(10 * distanceOf(row)) / 10;
      return Number.isNaN(metres) ? [] : [`,${key}:${metres}`];
    });
    return `${render(row).slice(0, -1)}${members.join('')}}`;
  };
}
