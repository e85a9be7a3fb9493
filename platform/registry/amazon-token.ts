import type * as Library from '@aws-sdk/client-ecr';
import type { PublicHttpAgents } from '../outbound/public-http-agents.js';
import { connectionFailed, refusedBy } from './failures.js';
import { attempt, identityFailed, type IssuedToken, type TokenRequest } from './issued-token.js';

export interface AmazonAccess {
  region: string;
  fips: boolean;
  /** `ambient`: those of the process, or of the machine or workload that it runs on. */
  keys: { accessKeyId: string; secretAccessKey: string } | 'ambient';
  /** Where connections with keys of a caller may go; default: anywhere. */
  agents?: PublicHttpAgents | undefined;
}

/** A password of Elastic Container Registry, for twelve hours. @throws run_failed, unavailable */
export async function amazonToken(access: AmazonAccess, asked: TokenRequest): Promise<IssuedToken> {
  return withClient(access, asked, async (client, { GetAuthorizationTokenCommand }) => {
    const { authorizationData = [] } = await client.send(new GetAuthorizationTokenCommand());
    const [{ authorizationToken = '', expiresAt = new Date() } = {}] = authorizationData;
    const [username = '', ...password] = Buffer.from(authorizationToken, 'base64').toString('utf8').split(':');
    return { username, password: password.join(':'), expiresAt: expiresAt.getTime() };
  });
}

/**
 * Creates a repository where it is missing: a push does not. One that may not be created may be there all the same; the
 * push will tell.
 */
export async function ensureAmazonRepository(access: AmazonAccess, name: string, asked: TokenRequest): Promise<void> {
  await withClient(access, asked, async (client, { CreateRepositoryCommand }) => {
    await client.send(new CreateRepositoryCommand({ repositoryName: name })).catch((err: unknown) => {
      if (!KNOWN.includes((err as Error).name)) throw err;
    });
  });
}

const KNOWN = ['RepositoryAlreadyExistsException', 'AccessDeniedException'];

async function withClient<T>(
  { region, fips, keys, agents }: AmazonAccess,
  asked: TokenRequest,
  work: (client: Library.ECRClient, library: typeof Library) => Promise<T>,
): Promise<T> {
  // Loaded with the first token: most installations need none.
  const library = await import('@aws-sdk/client-ecr');
  const client = new library.ECRClient({
    region,
    useFipsEndpoint: fips,
    ...(keys !== 'ambient' && { credentials: keys }),
    maxAttempts: 2,
    requestHandler: { ...(keys !== 'ambient' && agents), connectionTimeout: 3_000, socketTimeout: 8_000 },
  });
  try {
    return await work(client, library);
  } catch (err) {
    throw toFailure(err, keys, asked);
  } finally {
    client.destroy();
  }
}

function toFailure(err: unknown, keys: AmazonAccess['keys'], asked: TokenRequest): Error {
  const { name, message, $metadata } = err as Error & { $metadata?: { httpStatusCode?: number } };
  const status = name === 'ThrottlingException' ? 429 : $metadata?.httpStatusCode;
  if (status !== undefined) return refusedBy(attempt(asked), status, `${name}: ${message}`);
  if (keys === 'ambient') return identityFailed(asked, err);
  return connectionFailed(
    attempt(asked),
    name === 'TimeoutError' ? Object.assign(err as Error, { code: 'ETIMEDOUT' }) : err,
  );
}
