import { createHash } from 'node:crypto';
import { MAX_EMBEDDED_BYTES, type Part } from '../../../types/answer.ts';

export function imagePart(mediaType: string, data: string): Part {
  const content = Buffer.from(data, 'base64');
  return {
    type: 'image',
    media_type: mediaType,
    digest: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    data: content.length > MAX_EMBEDDED_BYTES ? null : data,
  };
}
