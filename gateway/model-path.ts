/** A path of a model server, as a caller reaches it. */
export interface ModelPath {
  /** `/model/<id>` or that of a custom route: what the model's own addresses are under. */
  prefix: string;
  /** Path and query as the replica gets them. */
  target: string;
  /** Whether the replica has anything for callers there. */
  known: boolean;
  /** Whether such a call leaves a record. */
  recorded: boolean;
}

const SHAPE = /^\/model\/([a-z0-9][a-z0-9-]{0,62})(\/[^?]*)?(\?.*)?$/;

/** Only predictions leave records. */
const PREDICTION = /^\/(api\/model\/invoke|v2\/models\/[^/]+(\/versions\/[^/]+)?\/infer|invocations)\/?$/;

/** Paths of a model server that callers may use; its metrics, its health checks and unknown paths stay inside. */
const OFFERED = [
  /^\/api\/model\/[^/]+\/?$/,
  /^\/v2(\/health\/(live|ready))?\/?$/,
  /^\/v2\/models\/[^/]+(\/versions\/[^/]+)?(\/(infer|ready|config|stats|generate|generate_stream))?\/?$/,
  /^\/(invocations|ping|version)\/?$/,
];

/** Parses a path under `/model/`. */
export function parseModelPath(url: string): (ModelPath & { id: string }) | undefined {
  const match = SHAPE.exec(url);
  if (match?.[1] === undefined) return undefined;
  const [, id, rest = '/', query = ''] = match;
  return { id, ...toModelPath(`/model/${id}`, rest, query) };
}

/** @param rest path below the prefix, with its slash */
export function toModelPath(prefix: string, rest: string, query: string): ModelPath {
  const known = isPlain(rest) && OFFERED.some((pattern) => pattern.test(rest));
  return { prefix, target: `${rest}${query}`, known, recorded: known && PREDICTION.test(rest) };
}

/** Refuses paths that a model server could read differently than the gateway. */
function isPlain(path: string): boolean {
  try {
    return (
      !decodeURIComponent(path)
        .split('/')
        .some((part) => part === '..' || part === '.') && !/%2f|%5c|\\/i.test(path)
    );
  } catch {
    return false;
  }
}
