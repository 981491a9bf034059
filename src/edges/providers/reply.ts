import type http from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { shorten, visibleLine } from '../../text/visible.ts';
import { member } from '../../types/plain.ts';
import { jsonOfEventStream } from './event-stream.ts';
import { MAX_REPLY_BYTES, MAX_REPLY_DEPTH, TransportError } from './fault.ts';

const QUOTE = 0x22;

const BACKSLASH = 0x5c;

/** The result is meaningless if the text is not JSON. */
export function deeperThan(text: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i];
    if (byte === undefined) break;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

/** Converts only these headers, because converting all would slow every call. */
const READ_HEADERS =
  /^(content-type|retry-after(-ms)?|x-should-retry|request-id|x-request-id|(x|anthropic)-ratelimit-[a-z-]+)$/;

export interface Received {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

type Unpack = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const UNPACK = new Map<string, Unpack>([
  ['gzip', promisify(gunzip) as Unpack],
  ['x-gzip', promisify(gunzip) as Unpack],
  ['deflate', promisify(inflate) as Unpack],
  ['br', promisify(brotliDecompress) as Unpack],
]);

function headerName(name: string): string {
  return shorten(visibleLine(name), 40);
}

async function unpackBody({ headers, body }: Received): Promise<Buffer> {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || body.byteLength === 0) return body;
  const unpack = UNPACK.get(encoding);
  if (unpack === undefined) throw new TransportError('encoding', headerName(encoding));
  try {
    return await unpack(body, { maxOutputLength: MAX_REPLY_BYTES });
  } catch (error) {
    const code = member(error, 'code');
    if (code === 'Z_BUF_ERROR') throw new TransportError('cut');
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new TransportError('too-large');
    throw new TransportError('encoding', headerName(encoding));
  }
}

class ReplyHeaders {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  entries(): MapIterator<[string, string]> {
    return this.#values.entries();
  }
}

/** Returns the subset of `Response` that the SDKs use; creating a real one is slow. */
export async function toResponse(received: Received): Promise<Response> {
  const body = await unpackBody(received);
  const decoded = decode(body, received);
  const utf8 = decoded.charset === 'utf-8' ? body : Buffer.from(decoded.text);
  if (deeperThan(utf8, MAX_REPLY_DEPTH)) throw new TransportError('too-deep');
  if (received.status < 200 || received.status > 599)
    throw new TransportError('connection', `status ${received.status}`);
  const headers = new Map([['content-length', String(body.byteLength)]]);
  for (const [name, value] of Object.entries(received.headers)) {
    if (value !== undefined && READ_HEADERS.test(name))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const empty = received.status === 204 || received.status === 205;
  const { status } = received;
  const said = empty ? '' : withoutList(decoded.text, status);
  const text = status < 300 ? jsonOfEventStream(said, received.headers['content-type']) : said;
  return {
    ok: status < 300,
    status,
    url: '',
    headers: new ReplyHeaders(headers),
    body: null,
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then(JSON.parse),
  } as unknown as Response;
}

function decode(body: Buffer, { status, headers }: Received): { charset: string; text: string } {
  const declared = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
  const marked = /^(fffe|feff)/.exec(body.toString('hex', 0, 2))?.[1];
  const charset = declared ?? (marked === undefined ? 'utf-8' : BYTE_ORDER_MARKS[marked]);
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return { charset: decoder.encoding, text: decoder.decode(body) };
  } catch {
    if (status < 300) throw new TransportError('charset', headerName(charset ?? ''));
    return { charset: 'utf-8', text: new TextDecoder().decode(body) };
  }
}

const BYTE_ORDER_MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Google wraps an error in a list, which the SDKs do not expect. */
function withoutList(text: string, status: number): string {
  if (status < 400 || !text.trimStart().startsWith('[')) return text;
  try {
    const [first] = JSON.parse(text) as unknown[];
    return first === undefined ? text : JSON.stringify(first);
  } catch {
    return text;
  }
}
