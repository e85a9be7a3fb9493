import { Client } from 'undici';

/** A request that the platform must refuse. */
export interface HostileRequest {
  /** The fault, for a person. */
  name: string;
  /** `POST` by default. */
  method?: string;
  /** Sent as it is, without the normalization of a URL. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  status: number;
  /** Part of the answer: the field, the value or the rule. */
  says: string;
}

export interface Answer {
  status: number;
  text: string;
}

/** Sends requests as they are written. */
export function createSender(baseUrl: string, authorization: string) {
  const client = new Client(baseUrl, { pipelining: 1 });
  return {
    async send({ method = 'POST', path, body, raw, headers = {} }: HostileRequest): Promise<Answer> {
      const reply = await client.request({
        method,
        path,
        body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
        headers: { authorization, 'content-type': 'application/json', ...headers },
      });
      return { status: reply.statusCode, text: await reply.body.text() };
    },
    close: () => client.close(),
  };
}
