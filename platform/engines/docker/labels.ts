import type { Labels } from '../driver.js';

const PREFIX = 'slipway.';
interface Owner {
  installation?: string;
}

/** Labels that mark what is ours, as the engine stores them. */
export function managedLabels({ installation }: Owner): Labels {
  return {
    [`${PREFIX}managed`]: 'true',
    ...(installation === undefined ? {} : { [`${PREFIX}installation`]: installation }),
  };
}

export function toEngineLabels(owner: Owner, labels: Labels): Labels {
  const named = Object.entries(labels).map(([key, value]) => [PREFIX + key, value] as const);
  return { ...Object.fromEntries(named), ...managedLabels(owner) };
}

/** Ours alone, without the prefix. */
export function fromEngineLabels(labels: Labels): Labels {
  const ours = Object.entries(labels).filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(ours.map(([key, value]) => [key.slice(PREFIX.length), value]));
}
