/** The answer of a deployed model's server to `GET /api/model/info`, shortened. */
export const wineInfo = (hasSamples: boolean): Record<string, unknown> => ({
  openapi: '3.0.3',
  info: { title: 'wine model', version: '1.0' },
  servers: [{ url: '/model/wine' }],
  'x-slipway': { hasSamples },
  paths: {
    '/api/model/info': {
      get: {
        operationId: 'info',
        summary: 'Describe the model',
        tags: ['model'],
        responses: { 200: { description: 'This document' } },
      },
    },
    '/api/model/invoke': {
      post: {
        operationId: 'invoke',
        summary: 'Predict',
        tags: ['model'],
        security: [],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Request' },
              example: { columns: ['alcohol', 'pH'], data: [[9.4, 3.51]] },
            },
          },
        },
        responses: {
          200: {
            description: 'The predictions',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Response' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Request: {
        type: 'object',
        properties: { data: { type: 'array', items: { type: 'array', items: { type: 'number' } } } },
      },
      Response: { type: 'object', properties: { prediction: { type: 'array', items: { type: 'number' } } } },
    },
  },
});
