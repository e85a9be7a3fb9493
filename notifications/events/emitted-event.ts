/** The event of a write. Its version is the revision of the resource unless `version` is set. */
export interface EmittedEvent {
  type: string;
  source: string;
  subject: string;
  version?: string;
  data: Record<string, unknown>;
}

export const MODEL_PATH = '/api/v1/model';

const MOST_CHARACTERS = 4_000;
const HALF_CHARACTER = /[\ud800-\udbff]$/; // the cut was inside of a surrogate pair
export const shortened = (text: string | undefined) => text?.slice(0, MOST_CHARACTERS).replace(HALF_CHARACTER, '');
