import type { Transport } from './transport.js';

export interface Prediction {
  /** The answer of the model, usually `{prediction, columns}`. */
  body: unknown;
  /** The same as it came: a parser changes integers beyond 2^53. */
  text: string;
  /** Ties feedback to this prediction. */
  requestId: string;
  modelName: string;
  modelVersion: string;
}

/** The stored feedback. `warning` says that no such call is known, or that another model answered it. */
export type FeedbackReply = Readonly<Record<string, unknown>> & { warning?: string };

export interface Feedback {
  modelName: string;
  modelVersion: string;
  /** The request id of the prediction. */
  requestId: string;
  body: unknown;
}

export interface InvokeOptions {
  /** Your name for the request; one is drawn otherwise. */
  requestId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls of deployed models. */
export function createInference({ server, send }: { server: string; send: Transport }) {
  const address = (deployment: string, action: 'info' | 'invoke'): string =>
    `${server}/model/${encodeURIComponent(deployment)}/api/model/${action}`;

  const post = (url: string, body: unknown, headers: Record<string, string>, signal?: AbortSignal) =>
    send(
      new Request(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        // A text is JSON already, and stays as it is: a parser would change integers beyond 2^53.
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      }),
    );

  return {
    /** The model's own OpenAPI document, with a sample of its input. @throws not_found, forbidden */
    async info(deployment: string, { signal }: Pick<InvokeOptions, 'signal'> = {}): Promise<unknown> {
      const response = await send(new Request(address(deployment, 'info'), { ...(signal && { signal }) }));
      return response.json();
    },
    /** @param body an object, or JSON as text. @throws not_found, forbidden, validation_failed, no_replica */
    async invoke(deployment: string, body: unknown, { requestId, signal }: InvokeOptions = {}): Promise<Prediction> {
      const headers: Record<string, string> = requestId === undefined ? {} : { 'Request-Id': requestId };
      const response = await post(address(deployment, 'invoke'), body, headers, signal);
      const header = (name: string): string => response.headers.get(name) ?? '';
      const text = await response.text();
      return {
        body: JSON.parse(text),
        text,
        requestId: header('request-id'),
        modelName: header('model-name'),
        modelVersion: header('model-version'),
      };
    },
    /** Says what a prediction was worth. @throws forbidden, validation_failed */
    async feedback({ modelName, modelVersion, requestId, body }: Feedback): Promise<FeedbackReply> {
      const about = { 'x-model-name': modelName, 'x-model-version': modelVersion, 'Request-Id': requestId };
      const reply = await post(`${server}/feedback/model/`, body, about);
      return (await reply.json()) as FeedbackReply; // of the gateway, which answers others with an error
    },
  };
}

/** The sample in a model's document, ready to be sent; undefined when it has none. */
export function sampleOf(info: unknown): unknown {
  let node: unknown = info;
  for (const key of ['paths', '/api/model/invoke', 'post', 'requestBody', 'content', 'application/json', 'example']) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[key]; // any object can be asked for any key
  }
  return node;
}
