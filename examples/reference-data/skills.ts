import { createDraw } from './random.js';

export interface Skill {
  id: bigint;
  name: string;
  area: string;
  /** Positions that asked for it lately. */
  demand: number;
}

/** 2^60: an id that no double holds exactly once something is added. */
const FIRST_ID = 1_152_921_504_606_846_976n;

// prettier-ignore
const AREAS = {
  'Lifting':        ['Tower crane', 'Mobile crane', 'Forklift', 'Hoist', 'Rigging'],
  'Metal':          ['TIG welding', 'MIG welding', 'Pipe fitting', 'Sheet metal', 'CNC milling'],
  'Electricity':    ['High voltage', 'Low voltage', 'Solar panel', 'Switchgear', 'Cable laying'],
  'Building':       ['Bricklaying', 'Scaffolding', 'Concrete', 'Roofing', 'Drywall'],
  'Surveying':      ['Laser scanning', 'Drone survey', 'Levelling', 'Hydrography', 'Land registry'],
  'Care':           ['Wound care', 'Geriatric care', 'Intensive care', 'Midwifery', 'Physiotherapy'],
  'Laboratory':     ['Chromatography', 'Microscopy', 'Cell culture', 'Calibration', 'Sampling'],
  'Transport':      ['Tanker driving', 'Dispatch', 'Customs', 'Cold chain', 'Harbour piloting'],
  'Kitchen':        ['Pastry', 'Butchery', 'Grill', 'Banquet', 'Diet kitchen'],
  'Software':       ['TypeScript', 'Embedded C', 'Database', 'Network', 'Test automation'],
} as const satisfies Record<string, readonly string[]>;
const KINDS = [
  'basics',
  'operation',
  'inspection',
  'maintenance',
  'planning',
  'safety',
  'supervision',
  'training',
  'troubleshooting',
  'documentation',
  'certification',
  'quality control',
];

/** 600 skills, the same for the same seed. */
export function skills(seed = 2): Skill[] {
  const { below } = createDraw(seed);
  const names = Object.entries(AREAS).flatMap(([area, crafts]) =>
    crafts.flatMap((craft) => KINDS.map((kind) => ({ area, name: `${craft} ${kind}` }))),
  );
  return names.map(({ area, name }, at) => ({ id: FIRST_ID + BigInt(at + 1), name, area, demand: below(5_000) }));
}
