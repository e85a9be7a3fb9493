import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { decrypt, encrypt } from '../../platform/stores/aes-gcm.js';
import type { KeyRing } from '../../platform/stores/key-ring.js';
import { openKeyRing } from './secret-box.js';

type Metadata = NonNullable<Payload['metadata']>;

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const LENGTH_BYTES = 4;
export const FAILURE_CONVERTER = fileURLToPath(new URL('encoded-failures.cjs', import.meta.url));

type CodecSettings = Pick<Settings, 'SLIPWAY_SECRET_KEY' | 'SLIPWAY_OLD_SECRET_KEYS' | 'TEMPORAL_ENCRYPT_PAYLOADS'>;

/**
 * The data converter of every client and worker. Payloads that are encrypted are always read, so that the setting can be
 * switched on and off while runs are open. Without a key, which a process that only looks may lack, none is.
 */
export function dataConverterOf(settings: CodecSettings): DataConverter | undefined {
  const encrypts = settings.TEMPORAL_ENCRYPT_PAYLOADS;
  if (settings.SLIPWAY_SECRET_KEY === undefined && !encrypts) return undefined;
  return {
    payloadCodecs: [createPayloadCodec(openKeyRing(settings), { encrypts })],
    ...(encrypts && { failureConverterPath: FAILURE_CONVERTER }),
  };
}

/** AES-256-GCM with the key for payloads of the key ring; the text is stored with the id of its key. */
export function createPayloadCodec(ring: KeyRing, { encrypts }: { encrypts: boolean }): PayloadCodec {
  const { current } = ring;

  const encode = (payload: Payload): Payload => ({
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(current.id) },
    data: encrypt(current.subkey('codec'), toBytes(payload), current.id),
  });

  function decode(payload: Payload): Payload {
    // One of a time before, or of another program.
    if (textOf(payload.metadata, 'encoding') !== ENCODING) return payload;
    const id = textOf(payload.metadata, KEY_ID);
    const key = ring.find(id);
    if (key === undefined) {
      const hint = 'add it to SLIPWAY_OLD_SECRET_KEYS';
      throw new SlipwayError('internal', `a payload in Temporal has key ${id}, which is not configured: ${hint}`);
    }
    try {
      return toPayload(decrypt(key.subkey('codec'), Buffer.from(payload.data ?? []), id));
    } catch (cause) {
      throw new SlipwayError('internal', `a payload in Temporal with key ${id} was changed or cut`, { cause });
    }
  }

  return {
    encode: async (payloads) => (encrypts ? payloads.map(encode) : payloads),
    decode: async (payloads) => payloads.map(decode),
  };
}

/** Length of the metadata, the metadata as JSON, the data. */
function toBytes({ metadata, data }: Payload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  // Empty data that comes from a workflow is an array.
  return Buffer.concat([length, head, Buffer.from(data ?? [])]);
}

function toPayload(bytes: Buffer): Payload {
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  // Only `toBytes` writes what the key decrypts.
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as Record<string, string>;
  const metadata = Object.entries(head).map(([name, text]) => [name, Buffer.from(text, 'base64')]);
  return { metadata: Object.fromEntries(metadata) as Metadata, data: bytes.subarray(end) };
}

const textOf = (metadata: Payload['metadata'], name: string): string =>
  Buffer.from(metadata?.[name] ?? new Uint8Array()).toString();
