import { createCredential, withAuth } from '../../../../src/edges/providers/credential.ts';
import { TransportError } from '../../../../src/edges/providers/fault.ts';

/** A credential whose tokens live for 100 s, and a server that accepts `valid`. */
function setting() {
  const at = { now: 0, issued: 0, fails: false, valid: 't1' };
  const issue = () =>
    at.fails
      ? Promise.reject(new TransportError('exchange', 'down'))
      : Promise.resolve({ token: `t${String((at.issued += 1))}`, lifeMs: 100_000 });
  const credential = createCredential(issue, { headers: {}, clock: { now: () => at.now } });
  const { fetch } = withAuth(credential, {
    fetch: (_url, init) => {
      const token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length);
      return Promise.resolve(new Response(token, { status: token === at.valid ? 200 : 401 }));
    },
    close: () => undefined,
  });
  const ask = async (body: RequestInit['body'] = 'text'): Promise<string> => {
    const response = await fetch('https://a.example', { method: 'POST', body });
    return `${String(response.status)} ${await response.text()}`;
  };
  return { at, credential, ask };
}

describe('a credential', () => {
  test('is renewed at 80 % of its life, and requests do not wait for that', async () => {
    const { at, credential } = setting();
    expect(await Promise.all([credential.token(), credential.token()])).toEqual(['t1', 't1']);
    at.now = 79_999;
    expect(await credential.token()).toBe('t1');
    at.now = 80_000;
    expect([await credential.token(), at.issued]).toEqual(['t1', 2]);
    expect(await credential.token()).toBe('t2');
  });

  test('is used until it expires if its renewal fails', async () => {
    const { at, credential } = setting();
    await credential.token();
    Object.assign(at, { now: 80_000, fails: true });
    expect(await credential.token()).toBe('t1');
    at.now = 100_000;
    await expect(credential.token()).rejects.toMatchObject({ code: 'exchange' });
    at.fails = false;
    expect(await credential.token()).toBe('t2');
  });

  test('that a server accepted and then refuses is renewed once for all requests', async () => {
    const { at, ask } = setting();
    expect(await ask()).toBe('200 t1');
    at.valid = 't2';
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['200 t2', '200 t2', '200 t2']);
    expect(at.issued).toBe(2);
  });

  test('that a server never accepted is not renewed', async () => {
    const { at, ask } = setting();
    at.valid = 'none';
    expect([await ask(), await ask(), at.issued]).toEqual(['401 t1', '401 t1', 1]);
  });

  test('is renewed for the next try if a body cannot be sent twice', async () => {
    const { at, ask } = setting();
    await ask();
    at.valid = 't2';
    await expect(ask(new Blob(['a']).stream())).rejects.toMatchObject({ code: 'exchange' });
    expect(await ask()).toBe('200 t2');
  });
});
