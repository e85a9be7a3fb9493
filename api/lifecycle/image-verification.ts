import type { KeyObject } from 'node:crypto';
import { Router } from '@koa/router';
import type { VerifyImage } from '../../lifecycle/attestation/image-verifier.js';
import { keyHint } from '../../platform/attestation/envelope.js';
import { badQuery, queryLists } from '../http/query.js';
import type { ApiState, Step } from '../http/state.js';

export interface ImageVerificationRoutesDeps {
  verifyImage: VerifyImage;
  /** Public keys of this installation's statements about images. */
  attestationKeys: () => Promise<readonly KeyObject[]>;
}

/** Shorter than clients wait for an answer. */
const LIMIT_MS = 9_000;
const LONGEST_NAME = 512;
const NAME = /^[A-Za-z0-9](?!.*:\/\/)[A-Za-z0-9._/:@-]*$/;

/** Verifies images, and publishes the keys with which anyone can. */
export function imageVerificationRoutes({ verifyImage, attestationKeys }: ImageVerificationRoutesDeps) {
  const verify: Step = async (ctx) => {
    const { image: [image = '', ...more] = [] } = queryLists(ctx);
    if (more.length > 0) throw badQuery('the image URL parameter must be only one');
    if (image.length > LONGEST_NAME || !NAME.test(image))
      throw badQuery('the image URL parameter must be the name of an image, such as registry.example/team/wine:3');
    ctx.body = await verifyImage(image, AbortSignal.timeout(LIMIT_MS));
  };

  const keySet: Step = async (ctx) => {
    const keys = await attestationKeys();
    ctx.set('Cache-Control', 'public, max-age=60');
    ctx.body = { keys: keys.map(toJwk) };
    ctx.type = 'application/jwk-set+json';
  };

  /** As `cosign verify-attestation --key` takes it. */
  const pem: Step = async (ctx) => {
    const keys = await attestationKeys();
    ctx.set('Cache-Control', 'public, max-age=60');
    ctx.body = keys.map((key) => key.export({ format: 'pem', type: 'spki' })).join('');
    ctx.type = 'application/x-pem-file';
  };

  return new Router<ApiState>()
    .get('/api/v1/image/verification', verify)
    .get('/.well-known/attestation-keys', keySet)
    .get('/.well-known/attestation-keys.pem', pem);
}

const toJwk = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), kid: keyHint(key), use: 'sig', alg: 'EdDSA' });
