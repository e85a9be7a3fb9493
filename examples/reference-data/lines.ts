import type { Place } from './places.js';
import type { Position } from './positions.js';
import type { Skill } from './skills.js';

/** Rows as an import takes them: a line of JSON each, ids as text. */
export function locationLine({ id, name, countryName, adminCode, ...rest }: Place): string {
  const { country, population, latitude, longitude } = rest;
  const row = { id: String(id), name, country, country_name: countryName, admin_code: adminCode, population };
  return JSON.stringify({ ...row, latitude, longitude });
}

export function skillLine({ id, name, area, demand }: Skill): string {
  return JSON.stringify({ id: String(id), name, area, demand });
}

export function positionLine({ id, title, status, customer, location, skills, dayRate, startsOn }: Position): string {
  return JSON.stringify({
    id: String(id),
    title,
    staffing_status: status,
    customer: { id: String(customer.id), name: customer.name },
    location: { id: String(location) },
    skills: skills.map((skill) => ({ id: String(skill) })),
    day_rate: dayRate,
    starts_on: startsOn,
  });
}
