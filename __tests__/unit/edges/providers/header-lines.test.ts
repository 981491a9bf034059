import { readEndpoints } from '../../../../src/config/endpoints.ts';
import { headerLines } from '../../../../src/edges/providers/address.ts';

/** What an endpoint's line adds to the key of a stored answer. */
function added(words: string) {
  const { endpoints, problems } = readEndpoints([`local=https://models.example/v1 ${words}`]);
  expect(problems).toEqual([]);
  return endpoints.map(({ headers, ...server }) =>
    headerLines({
      ...server,
      key: 'key-of-the-server',
      headers: headers.map((header) => ({ ...header, value: `of ${header.env}` })),
    }),
  );
}

describe("the key of an endpoint's stored answers", () => {
  test.each([
    ['x-tenant', 'TENANT'],
    ['X-Routing-Key', 'ROUTE'],
    ['x-feature-flags', 'FLAGS'],
    ['openai-organization', 'ORG_ID'],
    ['accept-language', 'LANGUAGE'],
    ['x-team', 'TEAM_TOKEN'],
  ])('has the header %s', (name, variable) => {
    expect(added(`key=LOCAL_KEY header=${name}:${variable}`)).toEqual([
      `\n${name.toLowerCase()}: of ${variable}`,
    ]);
  });

  test.each([
    ['Authorization', 'SIGNED'],
    ['api-key', 'SIGNED'],
    ['X-Api-Key', 'SIGNED'],
    ['x-goog-api-key', 'SIGNED'],
    ['Ocp-Apim-Subscription-Key', 'SIGNED'],
    ['Cookie', 'SIGNED'],
    ['cf-access-client-secret', 'SIGNED'],
    ['x-auth-token', 'SIGNED'],
    ['x-custom', 'OPENAI_API_KEY'],
    ['x-forwarded-for-gateway', 'LOCAL_KEY'],
  ])('does not have the secret in %s: %s', (name, variable) => {
    expect(added(`key=LOCAL_KEY header=${name}:${variable}`)).toEqual(['']);
  });
});
