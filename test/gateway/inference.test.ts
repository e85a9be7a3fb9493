import { expect, test } from 'vitest';
import { startEdge, startModel, wine, type Call } from './edge.js';

const SHOP = (url: string) => wine([url], { id: 'shop', roleName: 'keepers', roles: ['shop', 'till', 'shop'] });
const INVOKE = '{"columns":["a"],"data":[[1]]}';

test('an invoke reaches the model as it came, and its answer comes back with id, name and version', async () => {
  const model = await startModel(() => ({
    body: '{"prediction":[9007199254740993],"columns":["q"]}',
    headers: {
      'request-id': 'of the model',
      'model-name': 'liar',
      'x-own': 'kept',
      connection: 'x-gone',
      'x-gone': '1',
    },
  }));
  const edge = await startEdge([wine([model.url])]);
  const reply = await edge.invoke('{"columns":["a"],"data":[[12345678901234567890]]}', {
    'request-id': 'mine',
    cookie: 'a=b',
    'x-forwarded-prefix': '/elsewhere',
    'x-request-id': 'other',
  });
  expect(reply.status).toBe(200);
  expect(await reply.text()).toBe('{"prediction":[9007199254740993],"columns":["q"]}');
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'request-id': 'mine',
    'model-name': 'wine model',
    'model-version': '1.0',
    'x-slipway-revision': '3',
    'x-own': 'kept',
  });
  expect(reply.headers.has('x-gone')).toBe(false);
  const [call] = model.calls as [Call];
  expect(call).toMatchObject({ method: 'POST', url: '/api/model/invoke' });
  expect(call.body).toBe('{"columns":["a"],"data":[[12345678901234567890]]}');
  expect(call.headers).toMatchObject({
    'x-forwarded-prefix': '/model/wine',
    'request-id': 'mine',
    'x-request-id': 'other',
  });
  expect(call.headers).not.toHaveProperty('authorization');
  expect(call.headers).not.toHaveProperty('cookie');
  await edge.stop();
  await model.stop();
});

test('a header of the model may hold any byte', async () => {
  const model = await startModel(() => ({ body: '{}', headers: { 'x-name': 'na\u00efve' } }));
  const edge = await startEdge([wine([model.url])]);
  const reply = await edge.invoke(INVOKE);
  const direct = await fetch(model.url);
  expect(direct.headers.get('x-name')).toMatch(/^na.+ve$/);
  expect([reply.status, reply.headers.get('x-name')]).toEqual([200, direct.headers.get('x-name')]);
  await edge.stop();
  await model.stop();
});

test('a request without id gets a random one, the same for the model, the client and the record', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])]);
  const id = (await edge.invoke(INVOKE)).headers.get('request-id');
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(model.calls[0]?.headers['request-id']).toBe(id);
  expect((await edge.frames())[0]?.head.requestId).toBe(id);
  expect((await edge.invoke(INVOKE)).headers.get('request-id')).not.toBe(id);
  await edge.stop();
  await model.stop();
});

// prettier-ignore
test.each([
  ['no token',              undefined,          '/model/wine/api/model/info', 401],
  ['a token that is none',  'Bearer nonsense',  '/model/wine/api/model/info', 401],
  ['an admin',              'admin',            '/model/wine/api/model/info', 200],
  ['an admin, unknown id',  'admin',            '/model/none/api/model/info', 404],
  ['a data scientist',      'data_scientist',   '/model/wine/api/model/info', 200],
  ['an old role word',      'odahu_admin',      '/model/wine/api/model/info', 200],
  ['the role of the model', 'wine-callers',     '/model/wine/api/model/info', 200],
  ['that role, other model','wine-callers',     '/model/beer/api/model/info', 403],
  ['that role, unknown id', 'wine-callers',     '/model/none/api/model/info', 403],
  ['a viewer',              'viewer',           '/model/wine/api/model/info', 403],
  ['a viewer, unknown id',  'viewer',           '/model/none/api/model/info', 403],
  ['a further role',        'shop',             '/model/shop/api/model/info', 200],
  ['another further role',  'till',             '/model/shop/api/model/info', 200],
  ['a role of another',     'wine-callers',     '/model/shop/api/model/info', 403],
  ['any custom prefix',     'admin',            '/custom/x/api/model/info',   404],
  ['tensor protocol',       'wine-callers',     '/model/wine/v2/models/wine/infer', 200],
  ['scoring protocol',      'wine-callers',     '/model/wine/invocations',    200],
  ['ready in scoring',      'wine-callers',     '/model/wine/ping',           200],
  ['ready in tensor',       'wine-callers',     '/model/wine/v2/health/ready', 200],
  ['model repository',      'admin',            '/model/wine/v2/repository/models/wine/load', 404],
  ['metrics of the server', 'admin',            '/model/wine/metrics',        404],
  ['a way around',          'admin',            '/model/wine/api/model/..%2f..%2fmetrics', 404],
  ['an impossible id',      'admin',            '/model/WINE/api/model/info', 404],
])('%s', async (_who, who, path, status) => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url]), wine([model.url], { id: 'beer', roleName: 'brewers' }), SHOP(model.url)]);
  const authorization = who === undefined || who.startsWith('Bearer') ? who : await edge.bearer(who);
  const reply = await fetch(edge.url + path, authorization === undefined ? {} : { headers: { authorization } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('request-id')).toMatch(/.+/);
  if (status === 401) {
    const reason = who === undefined ? 'no token: send' : 'the token cannot be read';
    expect(reply.headers.get('www-authenticate')).toMatch(who === undefined ? /^Bearer$/ : /^Bearer error="invalid_token"/);
    expect(await reply.json()).toEqual({ message: expect.stringContaining(`Unauthorized: ${reason}`) });
  } else if (status === 403) {
    const known = who === 'viewer' && path.includes('/wine/') ? 'model "wine" is invoked with the role admin, data_scientist or wine-callers' : undefined;
    const message = `Forbidden: ${known ?? "a model is invoked with the role admin, data_scientist or its deployment's own"}`;
    expect(await reply.json()).toEqual({ message });
    expect(reply.headers.get('x-slipway-error')).toBe(message);
  } else if (status !== 200) {
    const { message } = (await reply.json()) as { message: string };
    expect(message).toMatch(/^(there is no deployment "none"|the path names no deployment|no route has this address|a deployed model has no such path)$/);
    expect(reply.headers.get('x-slipway-error')).toBe(message);
    // Only who may call a deployment learns what it serves.
    expect(reply.headers.has('model-name')).toBe(who === 'admin' && path.includes('/wine/'));
  }
  expect(model.calls).toHaveLength(status === 200 ? 1 : 0);
  await edge.stop();
  await model.stop();
});

test('the refusal names every role for a caller that sees the model', async () => {
  const edge = await startEdge([SHOP('http://127.0.0.1:9')]);
  const reply = await fetch(`${edge.url}/model/shop/api/model/info`, {
    headers: { authorization: await edge.bearer('viewer') },
  });
  const message = 'Forbidden: model "shop" is invoked with the role admin, data_scientist or keepers or shop or till';
  expect([reply.status, await reply.json()]).toEqual([403, { message }]);
  await edge.stop();
});

test('whatever the model answers is passed on as it is, and an error of the model is not tried elsewhere', async () => {
  const model = await startModel(() => ({ status: 500, body: '{"message":"Exception during prediction: x"}' }));
  const edge = await startEdge([wine([model.url, model.url])]);
  const reply = await edge.invoke(INVOKE);
  expect(reply.status).toBe(500);
  expect(await reply.json()).toEqual({ message: 'Exception during prediction: x' });
  expect(reply.headers.get('model-version')).toBe('1.0');
  expect(model.calls).toHaveLength(1);
  await edge.stop();
  await model.stop();
});

test('a body over the limit is refused, declared or not, and never reaches the model', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { bodyLimitBytes: 1_000 });
  const declared = await edge.invoke('x'.repeat(1_001));
  expect(declared.status).toBe(413);
  expect(await declared.json()).toEqual({ message: 'the body is larger than 1000 bytes' });
  expect(declared.headers.get('model-name')).toBe('wine model');
  const chunked = await fetch(`${edge.url}/model/wine/api/model/invoke`, {
    method: 'POST',
    headers: { authorization: edge.authorization },
    body: new Blob(['x'.repeat(200_000)]).stream(),
    duplex: 'half',
  });
  expect(chunked.status).toBe(413);
  expect(model.calls).toHaveLength(0);
  expect((await edge.invoke('x'.repeat(1_000))).status).toBe(200);
  await edge.stop();
  await model.stop();
});

test('bodies together take no more memory than allowed: one request too many is refused with Retry-After', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const model = await startModel(async () => gate.then(() => ({ body: '{}' })));
  const edge = await startEdge([wine([model.url])], { bodyMemoryBytes: 1_500, bodyLimitBytes: 1_000 });
  const first = edge.invoke('x'.repeat(1_000));
  while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await edge.invoke('x'.repeat(1_000));
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  open();
  expect((await first).status).toBe(200);
  expect((await edge.invoke('x'.repeat(1_000))).status).toBe(200);
  await edge.stop();
  await model.stop();
});

test('a model that is too slow is a 504, in the words of its protocol', async () => {
  const model = await startModel(() => new Promise(() => undefined));
  const edge = await startEdge([wine([model.url], { timeoutSeconds: -4.9 })]); // five seconds of grace are added
  const reply = await edge.invoke(INVOKE);
  expect(reply.status).toBe(504);
  expect(await reply.json()).toEqual({ message: 'the model did not answer within 0.1 s' });
  const tensor = await fetch(`${edge.url}/model/wine/v2/models/m/infer`, {
    method: 'POST',
    headers: { authorization: edge.authorization },
    body: '{}',
  });
  expect(await tensor.json()).toMatchObject({ error: 'the model did not answer within 0.1 s' });
  await edge.stop();
  await model.stop();
});

test('a deployment without replicas is a 503 that says so', async () => {
  const edge = await startEdge([wine([])]);
  const reply = await edge.invoke(INVOKE);
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await reply.json()).toEqual({ message: 'the deployment has no running replica' });
  expect((await edge.frames())[0]?.head).toMatchObject({ status: 503, replica: '' });
  await edge.stop();
});
