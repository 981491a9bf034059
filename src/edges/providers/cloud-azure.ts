import { bearerIn, form, loginFile, type CloudLogin, type IssuedToken } from './cloud-login.ts';

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
export async function azureToken(login: CloudLogin): Promise<IssuedToken> {
  const { identity, variables } = login;
  const secret = identity === null ? variables['AZURE_CLIENT_SECRET'] : null;
  const tenant = identity?.options['tenant'] ?? variables['AZURE_TENANT_ID'] ?? '';
  const fields = {
    grant_type: 'client_credentials',
    client_id: identity?.id ?? variables['AZURE_CLIENT_ID'] ?? '',
    scope: 'https://cognitiveservices.azure.com/.default',
    ...(secret ? { client_secret: secret } : await assertion(login)),
  };
  const url = `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  return bearerIn((await login.request(url, form(fields))).data);
}

async function assertion(login: CloudLogin): Promise<Record<string, string>> {
  const { identity, prove, register } = login;
  const proof =
    identity === null ? await loginFile(login, 'AZURE_FEDERATED_TOKEN_FILE') : await prove();
  register([proof]);
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: proof,
  };
}
