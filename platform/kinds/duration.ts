const UNITS_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000];

/**
 * Milliseconds of an ISO 8601 duration such as `P7D` or `PT1H30M`; undefined when it is none. Years and months have no
 * fixed length, so they are not taken.
 */
export function parseDuration(text: string): number | undefined {
  const parts = /^P(?!$)(?:(\d+)W)?(?:(\d+)D)?(?:T(?!$)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text)?.slice(1);
  return parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (UNITS_MS[index] ?? 0), 0);
}
