import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { SlipwayError } from '../../kinds/errors.js';
import { limitCalls } from './call-limits.js';

/**
 * A client, whose calls have limits, of the engine at `DOCKER_HOST`: `unix:///run/podman.sock`, `tcp://host:2375`, `http://...`, `https://...`.
 * @param certPath folder with `ca.pem`, `cert.pem` and `key.pem`, as those of Docker's own client: `tcp` then means TLS
 * @throws validation_failed
 */
export const connectDocker = (host: string, certPath?: string): Docker => limitCalls(open(host, certPath));

function open(host: string, certPath?: string): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || !['tcp:', 'http:', 'https:'].includes(url.protocol)) {
    throw new SlipwayError('validation_failed', `"${host}" is not the address of a container engine`);
  }
  const isTls = url.protocol === 'https:' || (url.protocol === 'tcp:' && certPath !== undefined);
  const place = { host: url.hostname, port: Number(url.port || (isTls ? 2376 : 2375)) };
  if (!isTls) return new Docker({ protocol: 'http', ...place });
  return new Docker({ protocol: 'https', ...place, ...(certPath !== undefined && readCertificates(certPath)) });
}

function readCertificates(folder: string) {
  const read = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (cause) {
      throw new SlipwayError('validation_failed', `DOCKER_CERT_PATH has no readable ${name}`, { cause });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}
