export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export const json = (status: number, body: object, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** @param code a machine word that keeps its meaning */
export const failure = (status: number, code: string, message: string, headers?: Record<string, string>): Reply =>
  json(status, { code, message }, headers);
