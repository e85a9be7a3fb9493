import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import tar, { type Header } from 'tar-stream';
import { createRegistries } from '../../../platform/registry/client.js';
import { type Image, readImage } from '../../../platform/registry/image.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { OCI } from '../../../platform/registry/media-types.js';
import { HOST_ARCHITECTURE } from '../../../platform/registry/open-image.js';
import { PATIENT } from '../../patient-server.js';

interface Stored {
  mediaType: string;
  bytes: Buffer;
}

/** A registry in this process: what activities need of one, for tests without services. */
export async function startMemoryRegistry() {
  /** By repository and digest: `team/wine@sha256:...`. */
  const blobs = new Map<string, Buffer>();
  /** By repository and tag or digest. */
  const manifests = new Map<string, Stored>();
  const uploads = new Map<string, Buffer>();
  let count = 0;
  const requests: string[] = [];
  /** Those that came with requests, by repository; `''` for none. */
  const credentials = new Map<string, Set<string>>();
  let isBroken = false;
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://registry');
    const [, path = '', kind = '', name = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.+)$/.exec(url.pathname) ?? [];
    requests.push(`${method} ${path} ${kind}`);
    credentials.set(path, (credentials.get(path) ?? new Set()).add(headers.authorization ?? ''));
    if (isBroken) return void response.writeHead(500).end();
    const give = (found: Buffer | undefined, mediaType = 'application/octet-stream') => {
      if (found === undefined) return void response.writeHead(404).end();
      const size = { 'content-length': found.length, 'content-type': mediaType };
      response.writeHead(200, { ...size, 'docker-content-digest': digestOfBytes(found) });
      response.end(method === 'HEAD' ? undefined : found);
    };
    if (kind === 'manifests' && method === 'PUT') {
      const stored = { mediaType: headers['content-type'] ?? '', bytes: body };
      for (const key of [name, digestOfBytes(body)]) manifests.set(`${path}@${key}`, stored);
      return void response.writeHead(201).end();
    }
    if (kind === 'manifests') {
      const stored = manifests.get(`${path}@${name}`);
      return give(stored?.bytes, stored?.mediaType);
    }
    if (method === 'POST') {
      const [digest, from] = [url.searchParams.get('mount'), url.searchParams.get('from')];
      const found = blobs.get(`${from}@${digest}`);
      if (found) blobs.set(`${path}@${digest}`, found);
      const location = `/v2/${path}/blobs/uploads/${(count += 1)}`;
      return void response.writeHead(found ? 201 : 202, { location }).end();
    }
    if (method === 'PATCH') {
      uploads.set(name, body);
      return void response.writeHead(202, { location: url.pathname }).end();
    }
    if (method === 'PUT') blobs.set(`${path}@${url.searchParams.get('digest')}`, uploads.get(name) ?? body);
    if (method === 'PUT') return void response.writeHead(201).end();
    if (method === 'DELETE') return void response.writeHead(204).end();
    give(blobs.get(`${path}@${name}`));
  };
  const server = createServer(PATIENT, (request, response) => {
    void buffer(request).then((body) => answer(request, response, body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registries = createRegistries({ own: host, images: [], networks: [] }, []);
  const open = (path: string) =>
    registries.open(`${host}/${path}`, { signal: new AbortController().signal, reason: 'PushFailed' });

  /** Stores an image that has one layer of a text. */
  async function addImage(path: string, tag: string, config: object = {}, text = 'base'): Promise<Image> {
    const layer = Buffer.from(text);
    const settings = {
      ...{ architecture: HOST_ARCHITECTURE, os: 'linux', created: '2026-01-02T00:00:00Z', config: {} },
      ...{ rootfs: { type: 'layers', diff_ids: [digestOfBytes(layer)] }, ...config },
    };
    const described = (bytes: Buffer, mediaType: string) => {
      const digest = digestOfBytes(bytes);
      blobs.set(`${path}@${digest}`, bytes);
      return { mediaType, digest, size: bytes.length };
    };
    const manifest = {
      ...{ schemaVersion: 2, mediaType: OCI.manifest },
      config: described(Buffer.from(JSON.stringify(settings)), OCI.config),
      layers: [described(layer, OCI.layer)],
    };
    const stored = { mediaType: OCI.manifest, bytes: Buffer.from(JSON.stringify(manifest)) };
    const { digest } = await open(path).putManifest(stored, tag);
    return readImage(open(path), { ...stored, digest }, 'PushFailed');
  }

  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  /** From now on, it answers 500 to everything. */
  const setBroken = (next: boolean): void => void (isBroken = next);
  return { host, registries, open, addImage, setBroken, blobs, manifests, requests, credentials, stop };
}

/** The entries of the layers of an image, from a position on, by their names. */
export async function entriesOf({ layers, repository }: Image, from: number): Promise<Record<string, Header>> {
  const headers: Record<string, Header> = {};
  for (const layer of layers.slice(from)) {
    const extract = tar.extract();
    Readable.from([gunzipSync(await buffer(repository.readBlob(layer)))]).pipe(extract);
    for await (const entry of extract) {
      headers[entry.header.name] = entry.header;
      entry.resume();
    }
  }
  return headers;
}
