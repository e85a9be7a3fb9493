import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { SlipwayError } from '../platform/kinds/errors.js';

/** Certificate with its chain, and private key; both are PEM texts. */
export interface TlsFiles {
  cert: string;
  key: string;
}
export interface TlsPaths {
  cert: string | undefined;
  key: string | undefined;
}

/**
 * Reads the files of the gateway's certificate.
 * @returns undefined when none is set
 * @throws validation_failed when one is missing, or they do not belong together
 */
export async function readTls({ cert, key }: TlsPaths): Promise<TlsFiles | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new SlipwayError('validation_failed', 'SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY belong together: set both');
  }
  try {
    const files = { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
    createSecureContext(files);
    return files;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SlipwayError('validation_failed', `SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY cannot be used: ${reason}`, {
      cause,
    });
  }
}

interface Following {
  paths: TlsPaths;
  /** The files that the server began with. */
  files: TlsFiles;
  log: Pick<Logger, 'info' | 'warn'>;
  everyMs?: number;
}

/** Takes up renewed files for new connections. While they cannot be used, the earlier ones stay. @returns the end of it */
export function followTls(server: Server, { paths, files, log, everyMs = 10_000 }: Following): () => void {
  let current = JSON.stringify(files);
  const reload = async (): Promise<void> => {
    const renewed = await readTls(paths);
    if (renewed === undefined || !(server instanceof TlsServer) || JSON.stringify(renewed) === current) return;
    server.setSecureContext(renewed);
    current = JSON.stringify(renewed);
    log.info('the certificate of the gateway was renewed');
  };
  const timer = setInterval(() => {
    reload().catch((err: unknown) => log.warn({ err }, 'the certificate of the gateway stays as it was'));
  }, everyMs);
  return () => clearInterval(timer);
}
