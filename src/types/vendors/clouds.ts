import { BY_LINE } from './compatible.ts';
import type { VendorFacts } from './facts.ts';

export const cloudFacts = {
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  bedrock: {
    ...BY_LINE,
    label: 'Amazon Bedrock',
    speaks: 'bedrock',
    host: 'https://bedrock-runtime.{region}.amazonaws.com',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    baseUrlVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
    federation: {
      audience: 'sts.amazonaws.com',
      required: ['region'],
      optional: [],
      headers: {},
    },
    cloud: {
      parts: { region: { variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] } },
      logins: [
        ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
        ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
        ['AWS_PROFILE'],
        ['AWS_PROFILE', 'AWS_SHARED_CREDENTIALS_FILE'],
      ],
      secrets: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    },
    models:
      /^arn:aws[\w-]*:bedrock:|^(?:[a-z]{2,6}(?:-[a-z]+)?\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot(?:ai)?|nvidia|openai|qwen|writer|zai)\.\w[\w.:-]*$/,
    starterModel: 'us.amazon.nova-2-lite-v1:0',
    files: [{ models: /./, takes: ['image', 'file'] }],
    priceId: 'aws',
  },
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/openai
  vertex: {
    ...BY_LINE,
    label: 'Google Vertex AI',
    host: 'https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/endpoints/openapi',
    keyVariable: 'GOOGLE_OAUTH_ACCESS_TOKEN',
    federation: {
      audience: 'https://iam.googleapis.com/{id}',
      required: ['project'],
      optional: ['location', 'service-account'],
      headers: {},
    },
    cloud: {
      parts: {
        project: { variables: ['GOOGLE_CLOUD_PROJECT'] },
        location: { variables: ['GOOGLE_CLOUD_LOCATION'], fallback: 'global' },
      },
      logins: [['GOOGLE_APPLICATION_CREDENTIALS']],
      secrets: [],
    },
    models: /^publishers\/[\w-]+\/models\/./,
    starterModel: 'publishers/google/models/gemini-3.5-flash',
    priceId: 'google',
  },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
  azure: {
    ...BY_LINE,
    label: 'Azure AI Foundry',
    host: 'https://{resource}.openai.azure.com/openai/v1',
    keyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    federation: {
      audience: 'api://AzureADTokenExchange',
      required: ['tenant'],
      optional: ['resource'],
      headers: {},
    },
    cloud: {
      parts: { resource: { variables: ['AZURE_RESOURCE_NAME', 'AZURE_OPENAI_ENDPOINT'] } },
      logins: [
        ['AZURE_CLIENT_ID', 'AZURE_TENANT_ID', 'AZURE_FEDERATED_TOKEN_FILE'],
        ['AZURE_CLIENT_ID', 'AZURE_TENANT_ID', 'AZURE_CLIENT_SECRET'],
      ],
      secrets: ['AZURE_CLIENT_SECRET'],
    },
    starterModel: 'gpt-5.4-mini',
    hasResponses: true,
    priceId: 'azure',
  },
} as const satisfies Record<string, VendorFacts>;
