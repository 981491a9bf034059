import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Store } from '../../../edges/store/index.ts';
import { ownAnswer } from '../../../types/answer.ts';
import type { AskedModel, Complete } from '../../../types/model.ts';
import { member } from '../../../types/plain.ts';
import type { StoredReplies, StoredReply } from './terms.ts';

const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

const MISSING: Complete = () =>
  Promise.resolve({ status: 'error', kind: 'recording', message: 'not stored', unsent: true });

/** Stored replies are compressed, because streamed events repeat a lot. */
export function storedReplies(openStores: () => Promise<readonly Store[]>): StoredReplies {
  const memory = new Map<string, StoredReply>();
  return {
    async find(key) {
      const known = memory.get(key);
      if (known !== undefined) return known;
      const read = (await openStores()).reduceRight((below, store) => {
        return store.wrap(below, () => key);
      }, MISSING);
      const found = await read(REQUEST);
      if (found.status === 'error') return null;
      const [part] = found.parts;
      const { model, at } = found.served;
      const value = part?.type === 'json' ? part.value : null;
      const type = member(value, 'type');
      const packed = member(value, 'packed');
      if (typeof type !== 'string' || typeof packed !== 'string') return null;
      try {
        const options = { maxOutputLength: MAX_UNPACKED_BYTES };
        const body = await unpack(Buffer.from(packed, 'base64'), options);
        return { type, body: body.toString(), model, at };
      } catch {
        return null;
      }
    },
    async keep(key, reply, target) {
      const [store] = await openStores();
      if (store === undefined) memory.set(key, reply);
      const packed = (await pack(reply.body)).toString('base64');
      const { type, model, at } = reply;
      store?.keep(key, target, {
        ...ownAnswer([{ type: 'json', value: { type, packed } }]),
        status: 'ok',
        served: { model, fingerprint: null, at },
        latency_ms: null,
        reused: false,
      });
    },
  };
}

const NO_MODEL: AskedModel = { provider: 'anthropic', endpoint: null, model: '' };

const REQUEST: Parameters<Complete>[0] = {
  target: NO_MODEL,
  parameters: {},
  messages: [],
  try: 0,
  schema: null,
  purpose: 'prompt',
};
