import type http from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { shorten, visibleLine } from '../../text/visible.ts';
import { member } from '../../types/plain.ts';
import { jsonOfEventStream } from './event-stream.ts';
import { MAX_REPLY_BYTES, TransportError } from './fault.ts';

/** Converts only these headers, because converting all would slow every call. */
const READ_HEADERS =
  /^(content-type|date|x-amzn-errortype|retry-after(-ms)?|x-should-retry|request-id|x-request-id|(x|anthropic)-ratelimit-[a-z-]+)$/;

interface Received {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

const unzip = promisify(gunzip);

function headerName(name: string): string {
  return shorten(visibleLine(name), 40);
}

async function unpackBody({ headers, body }: Received): Promise<Buffer> {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || body.byteLength === 0) return body;
  // Requests accept nothing else.
  if (!/^(x-)?gzip$/.test(encoding)) throw new TransportError('encoding', headerName(encoding));
  try {
    return await unzip(body, { maxOutputLength: MAX_REPLY_BYTES });
  } catch (error) {
    const code = member(error, 'code');
    if (code === 'Z_BUF_ERROR') throw new TransportError('cut');
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new TransportError('too-large');
    throw new TransportError('encoding', headerName(encoding));
  }
}

/** Returns the subset of `Response` that the SDKs use; creating a real one is slow. */
export async function toResponse(received: Received): Promise<Response> {
  const body = await unpackBody(received);
  if (received.status < 200 || received.status > 599)
    throw new TransportError('connection', `status ${received.status}`);
  const headers = new Map([['content-length', String(body.byteLength)]]);
  for (const [name, value] of Object.entries(received.headers)) {
    if (value !== undefined && READ_HEADERS.test(name))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const { status } = received;
  const empty = status === 204 || status === 205;
  const said = empty ? '' : withoutList(decode(body, received), status);
  const text = status < 300 ? jsonOfEventStream(said, received.headers['content-type']) : said;
  return {
    ok: status < 300,
    status,
    url: '',
    headers: {
      get: (name: string) => headers.get(name.toLowerCase()) ?? null,
      has: (name: string) => headers.has(name.toLowerCase()),
      entries: () => headers.entries(),
    },
    body: null,
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then(JSON.parse),
  } as unknown as Response;
}

function decode(body: Buffer, { status, headers }: Received): string {
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '') ?? [];
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    if (status < 300) throw new TransportError('charset', headerName(charset));
    return new TextDecoder().decode(body);
  }
}

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
