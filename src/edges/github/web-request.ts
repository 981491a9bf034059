interface WebRequest {
  headers: Record<string, string>;
  method?: string;
  body?: string | null;
  /** Followed without the token on another host; default: false. */
  redirects?: boolean;
}

interface WebAnswer {
  status: number;
  bytes: Buffer;
}

const TIMEOUT_MS = 30_000;

/** Through the proxy that `https_proxy` and `no_proxy` name. @throws Error if nothing answers. */
export async function webRequest(
  url: string,
  { headers, method = 'GET', body = null, redirects = false }: WebRequest,
): Promise<WebAnswer> {
  const { HttpClient } = await import('@actions/http-client');
  const options = { allowRedirects: redirects, socketTimeout: TIMEOUT_MS };
  const client = new HttpClient('evaldiff', [], options);
  const { message } = await client.request(method, url, body, headers);
  const late = setTimeout(() => message.destroy(new Error('no complete answer')), TIMEOUT_MS);
  try {
    return { status: message.statusCode ?? 0, bytes: Buffer.concat(await message.toArray()) };
  } finally {
    clearTimeout(late);
  }
}
