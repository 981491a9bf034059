import { bearerIn, tokenIn, type CloudLogin } from './cloud-login.ts';
import type { IssuedToken } from './credential.ts';

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export async function azureToken(login: CloudLogin): Promise<IssuedToken> {
  const { identity, variables, post } = login;
  const secret = identity === null ? (variables['AZURE_CLIENT_SECRET'] ?? null) : null;
  const tenant = identity?.options['tenant'] ?? variables['AZURE_TENANT_ID'] ?? '';
  const proof =
    secret === null
      ? {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await assertion(login),
        }
      : { client_secret: secret };
  return bearerIn(
    await post(
      `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      {
        grant_type: 'client_credentials',
        client_id: identity?.id ?? variables['AZURE_CLIENT_ID'] ?? '',
        scope: 'https://cognitiveservices.azure.com/.default',
        ...proof,
      },
    ),
  );
}

function assertion(login: CloudLogin): Promise<string> {
  const name = 'AZURE_FEDERATED_TOKEN_FILE';
  const { identity, variables, prove } = login;
  return identity === null ? tokenIn(login, variables[name] ?? '', name) : prove();
}
