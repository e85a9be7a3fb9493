import { z } from 'zod';
import type { VerificationReply } from '../../lifecycle/attestation/image-verifier.js';
import type { Paths } from './operations.js';
import { errorResponses, json, ref } from './responses.js';

const tags = ['Platform'];

const Verified = z.object({
  image: z.string(),
  digest: z.string().meta({ description: 'of the manifest that the name leads to now' }),
  verified: z.literal(true),
  key: z.string().meta({ description: '`kid` of the key that signed' }),
  builder: z.string().meta({ description: 'address of the installation that made the image' }),
  packaging: z.string(),
  training: z.string().optional(),
  model: z.object({ name: z.string(), version: z.string() }),
  commit: z.string().optional(),
  data: z.array(z.object({ name: z.string(), sha256: z.string() })),
  artifact: z.string().optional(),
  base: z.object({ image: z.string(), digest: z.string() }).optional(),
  packages: z.int().optional().meta({ description: 'Python packages of its bill of materials' }),
});

const Unverified = z.object({
  image: z.string(),
  digest: z.string(),
  verified: z.literal(false),
  why: z.string().meta({ description: 'completes "the image is not verified: ..."' }),
});

export const ImageVerification = z.union([Verified, Unverified]) satisfies z.ZodType<VerificationReply>;

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
