import Docker from 'dockerode';
import { SlipwayError } from '../../kinds/errors.js';

/** A client of the engine at `DOCKER_HOST`: `unix:///run/podman.sock`, `tcp://host:2375`, `http://...`, `https://...`. */
export function connectDocker(host: string): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || !['tcp:', 'http:', 'https:'].includes(url.protocol)) {
    throw new SlipwayError('validation_failed', `"${host}" is not the address of a container engine`);
  }
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  return new Docker({ protocol, host: url.hostname, port: Number(url.port || (protocol === 'https' ? 2376 : 2375)) });
}
