import type { Paths } from './operations.js';
import { errorResponses, json, ref } from './responses.js';

const tags = ['Platform'];

const keys = (operationId: string, summary: string, type: string) => ({
  get: {
    tags,
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'the keys', content: { [type]: { schema: { type: 'string' as const } } } },
      ...errorResponses(),
    },
  },
});

export const imageVerificationPaths: Paths = {
  '/api/v1/image/verification': {
    get: {
      tags,
      operationId: 'verifyImage',
      summary: 'Where an image is from, by its signed statements',
      parameters: [
        {
          name: 'image',
          in: 'query',
          required: true,
          description: 'name with tag or digest, in a registry that a connection names',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: json('its origin, or why nothing is known of it', ref('ImageVerification')),
        ...errorResponses(400, 404, 422, 503),
      },
    },
  },
  '/.well-known/attestation-keys': keys(
    'getAttestationKeys',
    'Public halves of the keys that sign statements about images, as a JWK Set',
    'application/jwk-set+json',
  ),
  '/.well-known/attestation-keys.pem': keys(
    'getAttestationKeysPem',
    'The same keys in PEM, as cosign takes them',
    'application/x-pem-file',
  ),
};
