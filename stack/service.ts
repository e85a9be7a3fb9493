import type { Settings } from '../config.js';
import type { Ports } from '../platform/kinds/ports.js';
import type { StepTools } from './steps.js';

/** The parts of the embedded stack, by the names that `--only` takes. */
export const SERVICE_NAMES = ['temporal', 'mongodb', 'storage', 'issuer', 'registry', 'engine', 'images'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

export type FoundSettings = Partial<Record<keyof Settings, string>>;

export interface ServiceContext {
  /** Absolute. Everything of one installation: data, logs, process records. */
  stateDir: string;
  /** Absolute. Binaries and images that all checkouts of this user share. */
  cacheDir: string;
  ports: Ports;
  environment: Environment;
  /** Settings found so far, by variable; each service adds its own. */
  found: FoundSettings;
}

export interface Service {
  name: ServiceName;
  /** A variable that, once set by the user, says that this part lives elsewhere. */
  replacedBy: keyof Settings;
  needs: readonly ServiceName[];
  /** `once` leaves no process behind. */
  runs: 'detached' | 'once';
  /** Returns what it did, in a few words. */
  start: (context: ServiceContext, tools: StepTools) => Promise<string>;
  /** Whether all that it laid beside its process is in place; what is not is laid again by a start. */
  isIntact?: (stateDir: string) => Promise<boolean>;
  /** Runs before the process of that name is ended. */
  beforeStop?: (stateDir: string, report: (line: string) => void) => Promise<void>;
  /** Runs before the folder is removed, once no process runs. */
  beforeRemoval?: (stateDir: string) => Promise<void>;
}
