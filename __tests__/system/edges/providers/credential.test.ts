import { BEARER } from '../../../../src/edges/providers/auth.ts';
import { createCredential, withAuth } from '../../../../src/edges/providers/credential.ts';

/** A credential with a cache of tokens, and a server that accepts `valid`. */
function setting() {
  const at = { issued: 1, valid: 't1' };
  const invalidate = () => void (at.issued += 1);
  const token = () => Promise.resolve(`t${String(at.issued)}`);
  const credential = createCredential(
    { token, invalidate },
    { headers: {}, signer: () => Promise.resolve(BEARER), issued: () => [] },
  );
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
  return { at, ask };
}

describe('a credential', () => {
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
