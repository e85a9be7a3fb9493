import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Container, createContainers, type ProgramOf } from './containers.js';

export interface EngineOptions {
  /** The program that a container runs. */
  programOf: ProgramOf;
  /** Whether an image is there. */
  isPresent: (image: string) => boolean;
}

type Answer = (
  to: { request: IncomingMessage; response: ServerResponse; query: URLSearchParams },
  name: string,
) => unknown;

/** The id that the engine gives an image; replicas run by it. */
export const imageIdOf = (image: string): string => `sha256:${createHash('sha256').update(image).digest('hex')}`;

/**
 * The part of the Docker API that the platform's driver calls, over containers that exist as rows alone. The platform
 * runs as it is; what it waits for lasts as long as a benchmark says.
 */
export function createEngine({ programOf, isPresent }: EngineOptions): {
  listener: RequestListener;
  containers: ReturnType<typeof createContainers>;
  counts: Record<string, number>;
} {
  const containers = createContainers(programOf);
  const counts: Record<string, number> = {};

  function inspectImage(response: ServerResponse, image: string): void {
    if (!isPresent(image)) return missing(response, `no such image: ${image}`);
    const facts = { Config: { Labels: {}, Env: [] }, RepoDigests: [], Size: 1, RootFS: { Layers: [] } };
    reply(response, 200, { Id: imageIdOf(image), Created: new Date(0).toISOString(), ...facts });
  }

  const create: Answer = async ({ request, response, query }) => {
    const name = query.get('name') ?? '';
    const config = JSON.parse((await drain(request)).toString()) as Container['config'];
    if (containers.get(name)) return reply(response, 409, { message: `the name ${name} is in use` });
    reply(response, 201, { Id: containers.add(name, config).id, Warnings: [] });
  };

  const wait: Answer = async ({ response }, name) => {
    const container = containers.get(name);
    if (!container) return missing(response, name);
    await container.ended;
    reply(response, 200, { StatusCode: container.exitCode });
  };

  const logs: Answer = async ({ request, response, query }, name) => {
    const container = containers.get(name);
    if (!container) return missing(response, name);
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.flushHeaders();
    for (const line of container.program.lines) response.write(frameOf(line));
    const gone = new Promise((resolve) => request.once('close', resolve));
    if (query.get('follow') === 'true') await Promise.race([container.ended, gone]);
    response.end();
  };

  const archive: Answer = async ({ response, query }, name) => {
    const bytes = await containers.get(name)?.program.outputs[query.get('path') ?? ''];
    if (bytes === undefined) return missing(response, `no such path in ${name}`);
    response.writeHead(200, { 'content-type': 'application/x-tar' }).end(bytes);
  };

  function found(response: ServerResponse, name: string, view: (container: Container) => object): void {
    const container = containers.get(name);
    if (container) reply(response, 200, view(container));
    else missing(response, name);
  }

  function changed(response: ServerResponse, name: string, change: (container: Container) => void): void {
    const container = containers.get(name);
    if (!container) return missing(response, name);
    change(container);
    response.writeHead(204).end();
  }

  // prettier-ignore
  const routes: [method: string, path: RegExp, Answer][] = [
    ['GET',    /^\/info$/, ({ response }) => reply(response, 200, { NCPU: 64, MemTotal: 2 ** 40, MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, CgroupVersion: '2' })],
    ['GET',    /^\/version$/, ({ response }) => reply(response, 200, { Version: 'bench', Components: [] })],
    ['GET',    /^\/networks$/, ({ response }) => reply(response, 200, [])],
    ['POST',   /^\/networks\/create$/, ({ response }) => reply(response, 201, { Id: 'network' })],
    ['GET',    /^\/images\/(.+)\/json$/, ({ response }, name) => inspectImage(response, decodeURIComponent(name))],
    ['POST',   /^\/containers\/create$/, create],
    ['GET',    /^\/containers\/json$/, ({ response, query }) => reply(response, 200, containers.list(labelsOf(query)))],
    ['GET',    /^\/containers\/([^/]+)\/json$/, ({ response }, name) => found(response, name, (one) => containers.inspect(one))],
    ['POST',   /^\/containers\/([^/]+)\/start$/, ({ response }, name) => changed(response, name, (one) => containers.start(one))],
    ['POST',   /^\/containers\/([^/]+)\/stop$/, ({ response }, name) => changed(response, name, (one) => containers.end(one, 143))],
    ['DELETE', /^\/containers\/([^/]+)$/, ({ response }, name) => changed(response, name, (one) => containers.remove(one))],
    ['POST',   /^\/containers\/([^/]+)\/wait$/, wait],
    ['GET',    /^\/containers\/([^/]+)\/logs$/, logs],
    ['HEAD',   /^\/containers\/([^/]+)\/archive$/, ({ response }) => response.writeHead(200).end()],
    ['PUT',    /^\/containers\/([^/]+)\/archive$/, async ({ request, response }) => { await drain(request); response.writeHead(200).end(); }],
    ['GET',    /^\/containers\/([^/]+)\/archive$/, archive],
  ];

  const listener: RequestListener = (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://engine');
    const route = routes.find(([method, path]) => method === request.method && path.test(pathname));
    if (route === undefined) return missing(response, `${request.method} ${pathname}`);
    const [method, path, answer] = route;
    const kind = `${method} ${path.source.replaceAll('\\', '').replace(/^\^|\$$/g, '')}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
    void Promise.resolve(answer({ request, response, query }, path.exec(pathname)?.[1] ?? '')).catch(() =>
      response.destroy(),
    );
  };
  return { listener, containers, counts };
}

function labelsOf(query: URLSearchParams): string[] {
  return (JSON.parse(query.get('filters') ?? '{}') as { label?: string[] }).label ?? [];
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const missing = (response: ServerResponse, message: string): void => reply(response, 404, { message });

async function drain(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** One line as the engine frames it: stream, length, time and text. */
function frameOf(line: string): Buffer {
  const payload = Buffer.from(`${new Date().toISOString()} ${line}\n`);
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}
