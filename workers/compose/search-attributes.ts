import { type Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { connectionOptions, type ConnectionSettings } from './temporal.js';

/** `IndexedValueType` of Temporal's API. */
const KEYWORD = 2;
const ANSWER_MS = 2_000;
/** Codes of gRPC: permission denied, unimplemented. */
const HIDDEN: readonly number[] = [7, 12];
const NAMES = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);

/**
 * Creates the search attributes that the namespace lacks: without them the server refuses to start any run.
 * @throws validation_failed with the command that creates them, when the server does not let this process do it
 */
export async function ensureSearchAttributes(
  settings: ConnectionSettings & Pick<Settings, 'TEMPORAL_NAMESPACE'>,
): Promise<void> {
  const connection = await Connection.connect(connectionOptions(settings));
  const { operatorService } = connection;
  const namespace = settings.TEMPORAL_NAMESPACE;
  try {
    const missing = await findMissing(operatorService, namespace);
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes }).catch((cause: unknown) => {
      throw new SlipwayError('validation_failed', refusal(namespace, missing), { cause });
    });
  } finally {
    await connection.close();
  }
}

/** @returns the names that the namespace of a client lacks; none where the server does not say */
export async function missingSearchAttributes({ connection, options }: Client): Promise<string[]> {
  // The connection of a test environment has no operator service.
  if (!(connection instanceof Connection)) return [];
  const { operatorService } = connection;
  return connection.withDeadline(Date.now() + ANSWER_MS, () => findMissing(operatorService, options.namespace));
}

async function findMissing(operatorService: Connection['operatorService'], namespace: string): Promise<string[]> {
  const known = await operatorService.listSearchAttributes({ namespace }).catch(unlessHidden);
  return known === undefined ? [] : NAMES.filter((name) => !(name in known.customAttributes));
}

/** Temporal Cloud and some proxies hide this part of the server: then an operator creates the attributes. */
function unlessHidden(err: unknown): undefined {
  if (isGrpcServiceError(err) && HIDDEN.includes(err.code)) return undefined;
  throw err;
}

function refusal(namespace: string, missing: readonly string[]): string {
  const flags = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
  const command = `temporal operator search-attribute create --namespace ${namespace} ${flags}`;
  return `the Temporal namespace "${namespace}" lacks search attributes, and they could not be created; run: ${command}`;
}
