import { z } from 'zod';
import type { VerificationReply } from '../../lifecycle/attestation/image-verifier.js';

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
