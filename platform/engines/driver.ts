import type { Readable } from 'node:stream';
import type { LogLine, LogPosition } from '../kinds/log.js';

/** Credentials of a registry; absent for an open one. */
export interface RegistryAuth {
  username: string;
  password: string;
  serveraddress: string;
  /** The same with a token that lasts for some minutes more; absent where the password does not end. */
  renewed?: () => Promise<RegistryAuth>;
}

/** A container by its deterministic name. */
export interface Handle {
  name: string;
}

/** `slipway.*` labels, without the prefix in code: kind, id, uid, generation, part, workflow, spec. */
export type Labels = Record<string, string>;

export interface ContainerSpec {
  /** The key: one container per name. */
  name: string;
  image: string;
  /** Replaces the entry point of the image. */
  entrypoint?: readonly string[];
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  labels: Labels;
  workingDir?: string;
  /** `uid:gid`, never root by default: `10001:0`. */
  user?: string;
  /**
   * Where its connections may go, never to the host or to other containers. `none`: nowhere; published ports answer the
   * host all the same. `index`: web ports of public addresses. `internet`: public addresses.
   */
  network: 'none' | 'index' | 'internet';
  /** Container ports published on the engine host's loopback, on ports that the engine picks. */
  publish?: readonly number[];
  /** Mount points of anonymous volumes; the root file system itself is read-only. */
  volumes?: readonly string[];
  /** `cpus` in cores, `memoryBytes` in bytes: hard limits, no swap. */
  limits: { cpus: number; memoryBytes: number; pids?: number };
}

export type ContainerState =
  | { phase: 'created' }
  | { phase: 'running' | 'paused'; startedAt: string; ports: Readonly<Record<number, string>> }
  | { phase: 'exited'; startedAt: string; finishedAt: string; exitCode: number; outOfMemory: boolean; error?: string };

export interface Stats {
  cpuSeconds: number;
  memoryBytes: number;
  peakMemoryBytes: number;
}

export interface EngineInfo {
  name: string;
  version: string;
  cpus: number;
  memoryBytes: number;
  cgroupVersion: string;
}

export interface BuildOptions {
  /** Full image name with tag. */
  tag: string;
  labels?: Readonly<Record<string, string>>;
  buildArgs?: Readonly<Record<string, string>>;
  /** No build has a network. */
  network: 'none';
  signal?: AbortSignal;
}

export interface ImageFacts {
  /** Image id (sha256:...). */
  id: string;
  digests: readonly string[];
  labels: Readonly<Record<string, string>>;
  env: readonly string[];
  sizeBytes: number;
  /** Layer digests, base first. */
  layers: readonly string[];
  createdAt: string;
}

export type LogSink = (line: string) => void;

/**
 * The contract of a container engine. Every operation can be repeated: an engine keeps one container per name, an
 * absent container is removed already, a running one is started already. Errors are `SlipwayError`: `unavailable` when
 * the engine does not answer, `run_failed` with `detail.reason` when it refuses.
 */
export interface EngineDriver {
  info(): Promise<EngineInfo>;
  /** Makes the image present, pulling it when it is not. @throws run_failed, reason ImagePullFailed; when `signal` aborts */
  ensureImage(ref: string, auth?: RegistryAuth, signal?: AbortSignal): Promise<ImageFacts>;
  inspectImage(ref: string): Promise<ImageFacts | undefined>;
  /** For set-up alone: builds from a tar of the context, whose base must be ours: its ONBUILD instructions run. @throws run_failed, reason PackagerFailed, with the last lines of the build */
  build(context: Readable, options: BuildOptions, log: LogSink): Promise<ImageFacts>;
  /** @returns the manifest digest (sha256:...). @throws run_failed, reason PushFailed; when `signal` aborts */
  push(ref: string, auth: RegistryAuth | undefined, log: LogSink, signal?: AbortSignal): Promise<{ digest: string }>;
  tag(ref: string, alias: string): Promise<void>;
  removeImage(ref: string): Promise<void>;
  /** Creates the container, or finds the one of that name whose `spec` label is the same; another spec is replaced. */
  create(spec: ContainerSpec): Promise<{ handle: Handle; existed: boolean }>;
  putArchive(handle: Handle, path: string, tar: Readable | Buffer): Promise<void>;
  /** @throws run_failed, reason ArtifactNotFound, when there is no such path, or no such container any more */
  getArchive(handle: Handle, path: string): Promise<Readable>;
  start(handle: Handle): Promise<void>;
  /** `undefined` when there is no such container. */
  state(handle: Handle): Promise<ContainerState | undefined>;
  /** Until the container has exited, through pauses; `undefined` when there is none. Rejects when `signal` aborts. */
  wait(handle: Handle, signal: AbortSignal): Promise<ContainerState | undefined>;
  /** Runs a command in a running container; past `timeoutMs` or an abort it goes on unattended. */
  exec(
    handle: Handle,
    command: readonly string[],
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<{ exitCode: number; output: string }>;
  /** Lines after `from`, in order; with `follow` until the container ends or `signal` aborts. */
  logs(handle: Handle, options: { from?: LogPosition; follow: boolean; signal?: AbortSignal }): AsyncIterable<LogLine>;
  find(labels: Labels): Promise<(Handle & { labels: Labels; running: boolean })[]>;
  stats(handle: Handle): Promise<Stats | undefined>;
  /** Disk space of the container's volumes, the only places it can write to; `undefined` when there is no such container. */
  diskBytes(handle: Handle): Promise<number | undefined>;
  /**
   * The networks of the engine, each as a text of its name, addresses and options: another text is a changed network.
   * Those that come and go with one container of the platform are left out.
   */
  networks(): Promise<readonly string[]>;
  pause(handle: Handle): Promise<void>;
  unpause(handle: Handle): Promise<void>;
  /** SIGTERM, then SIGKILL after `graceMs`. */
  stop(handle: Handle, graceMs: number): Promise<void>;
  remove(handle: Handle): Promise<void>;
}
