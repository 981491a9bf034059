import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

const REFUSED = 'PROXY_';

/** The proxy sees only the host name. Only the proxy gets the proxy's credentials. */
export function tunnelThrough(
  agent: https.Agent,
  proxy: URL,
  { timeoutMs }: { timeoutMs: number },
): { close(): void } {
  const opening = new Set<http.ClientRequest>();
  agent.createConnection = (target, done) => {
    const options = target as tls.ConnectionOptions & { hostname?: string };
    const { host = '', port = 443 } = options;
    const to = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const connect = connectTo(proxy, to);
    const fail = (code: string) => {
      opening.delete(connect);
      connect.destroy();
      done?.(Object.assign(new Error('no tunnel'), { code }), undefined as never);
    };
    opening.add(connect);
    connect.on('connect', ({ statusCode = 0 }, socket) => {
      opening.delete(connect);
      if (statusCode !== 200) {
        socket.destroy();
        fail(`${REFUSED}${statusCode}`);
        return;
      }
      done?.(null, tls.connect({ ...options, socket }));
    });
    connect.on('response', ({ statusCode = 0 }) => fail(`${REFUSED}${statusCode}`));
    connect.on('error', (error) => fail(`${REFUSED}${'code' in error ? String(error.code) : ''}`));
    connect.setTimeout(timeoutMs, () => fail(`${REFUSED}ETIMEDOUT`));
    connect.end();
    return undefined;
  };
  return {
    close() {
      for (const connect of opening) connect.destroy();
    },
  };
}

function connectTo(proxy: URL, to: string): http.ClientRequest {
  const [name, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  const login = Buffer.from(`${name ?? ''}:${password ?? ''}`).toString('base64');
  return (proxy.protocol === 'https:' ? https : http).request({
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    method: 'CONNECT',
    path: to,
    agent: false,
    headers: { host: to, ...(name !== '' && { 'proxy-authorization': `Basic ${login}` }) },
  });
}

export function proxyWords(code: string): { words: string; passing: boolean } | null {
  if (!code.startsWith(REFUSED)) return null;
  const said = code.slice(REFUSED.length);
  if (said === '407')
    return {
      words:
        '407, it requires a user name and password: add them to its address ' +
        '(http://NAME:PASSWORD@host:port), and keep the address in a secret',
      passing: false,
    };
  return /^\d+$/.test(said)
    ? {
        words: `it answered ${said} and did not connect to the server`,
        passing: Number(said) >= 500,
      }
    : { words: said === '' ? 'unknown' : said, passing: true };
}
