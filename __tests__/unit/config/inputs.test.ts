import { readCommandLine, readInputs } from '../../../src/config/inputs.ts';
import { perVendor } from '../../../src/types/vendors.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';

const problemsOf = (given: Record<string, string>) =>
  readInputs(given, OWN_SETTINGS).problems.map(({ message }) => message);

describe('action inputs', () => {
  test('have the documented defaults', () => {
    expect(readInputs({}, OWN_SETTINGS)).toMatchObject({
      problems: [],
      inputs: {
        token: '',
        mode: 'auto',
        workingDirectory: '',
        base: null,
        head: null,
        keys: perVendor(() => null),
        endpoints: [],
        failOn: null,
        comment: 'auto',
        checkName: 'evaldiff',
        code: 'sandbox',
        codeEnv: [],
        maxCalls: null,
        maxCost: null,
        timeoutMs: null,
        cache: true,
        reportPath: 'evaldiff-report',
        shard: null,
        read: {
          config: 'evaldiff.yaml',
          configRequired: true,
          allowedModels: null,
          overrides: { prompts: null },
        },
      },
    });
  });

  test('are converted to numbers, lists and other types', () => {
    const { inputs, problems } = readInputs(
      {
        'github-token': 't',
        mode: 'Sweep',
        config: 'evals/llmeval.yaml',
        'working-directory': './apps/bot/',
        base: 'origin/main',
        head: 'abc',
        overrides: 'n_tries=1\n\nmodel=a,b\n',
        'openai-api-key': ' k ',
        endpoints: 'local=http://127.0.0.1:8000/v1\nproxy=https://llm.example/v1 key=PROXY_KEY\n',
        'allowed-models': 'a, b\nc',
        'fail-on': 'never',
        comment: 'always',
        'check-name': '',
        code: 'host',
        'code-env': 'A,B',
        'max-calls': '10',
        'max-cost': '2.5',
        timeout: '1.5',
        cache: 'FALSE',
        'report-path': 'out/report',
        shard: '2/4',
      },
      OWN_SETTINGS,
    );
    expect(problems).toEqual([]);
    expect(inputs).toMatchObject({
      token: 't',
      mode: 'sweep',
      workingDirectory: 'apps/bot',
      base: 'origin/main',
      head: 'abc',
      keys: { ...perVendor(() => null), openai: 'k' },
      failOn: 'never',
      comment: 'always',
      endpoints: [
        { name: 'local', url: 'http://127.0.0.1:8000/v1', keyEnv: null },
        { name: 'proxy', url: 'https://llm.example/v1', keyEnv: 'PROXY_KEY' },
      ],
      checkName: null,
      code: 'host',
      codeEnv: ['A', 'B'],
      maxCalls: 10,
      maxCost: 2.5,
      timeoutMs: 90_000,
      cache: false,
      reportPath: 'out/report',
      shard: { index: 2, count: 4 },
      read: {
        config: 'evals/llmeval.yaml',
        allowedModels: ['a', 'b', 'c'],
        overrides: { settings: [{ path: ['n_tries'], value: 1 }] },
      },
    });
  });

  test.each([
    ['mode', 'fast', 'mode: must be one of auto, diff, sweep, merge, noise, drift, not "fast"'],
    ['fail-on', 'always', 'fail-on: must be one of regression, failure, never, not "always"'],
    ['comment', 'yes', 'comment: must be one of auto, findings, always, never, not "yes"'],
    ['code', 'pyodide', 'code: must be one of sandbox, host, off, not "pyodide"'],
    ['cache', 'yes', 'cache: must be true or false, not "yes"'],
    ['max-calls', '1.5', 'max-calls: must be a whole number of at least 0, not "1.5"'],
    ['timeout', '0', 'timeout: must be minutes, more than 0 and at most 30000, not "0"'],
    ['timeout', '2h', 'timeout: must be minutes, more than 0 and at most 30000, not "2h"'],
    ['max-cost', '-3', 'max-cost: must be a number of at least 0, not "-3"'],
    ['max-calls', '-1', 'max-calls: must be a whole number of at least 0, not "-1"'],
    ['max-cost', '$5', 'max-cost: must be a number of at least 0, not "$5"'],
    ['max-cost', '1e9', 'max-cost: must be a number of at least 0, not "1e9"'],
    [
      'shard',
      '5/4',
      'shard: must be i/n with i from 1 to n and n at most 256, like 2/4, not "5/4"',
    ],
    [
      'working-directory',
      '../other',
      'working-directory: must be a folder inside the repository, not "../other"',
    ],
    [
      'working-directory',
      '/etc',
      'working-directory: must be a folder inside the repository, not "/etc"',
    ],
    ['report-path', 'C:\\x', 'report-path: must be a folder inside the repository, not "C:\\x"'],
    ['base', '--upload-pack=id', 'base: must be a commit or a ref'],
    ['head', 'a b', 'head: must be a commit or a ref'],
    ['code-env', 'A-B', 'code-env: "A-B" is not the name of an environment variable'],
    ['endpoints', 'local', 'endpoints: a line must be name=url key=ENV_NAME'],
    ['keys', 'sk-live-123', 'keys: a line must be vendor=KEY or vendor=oidc:ID'],
    ['keys', 'opnai=k', 'keys: "opnai" is not a vendor; did you mean "openai"?'],
    ['keys', 'groq=k\ngroq=oidc:x', 'keys: "groq" is set twice'],
    [
      'keys',
      'groq=oidc:x',
      `keys: "groq" must be a key, because evaldiff cannot prove the job's identity to Groq`,
    ],
    ...['<ID> service-account=<ID>', 'i', 'i service-account=s scope=all'].map((line) => [
      'keys',
      `openai=oidc:${line}`,
      'keys: "openai" must be openai=oidc:ID service-account=ID, optionally with audience=',
    ]),
    [
      'overrides',
      'ntries=1',
      'overrides: ntries=1: "ntries" is spelt n_tries, and belongs in the settings file or in the test file',
    ],
    [
      'openai_api_key',
      'k',
      'openai_api_key: is not an input of this action; did you mean "openai-api-key"?',
    ],
  ])('with %s set to %s are rejected', (name = '', value = '', message = '') => {
    expect(problemsOf({ [name]: value })).toEqual([message]);
  });

  test('with two keys of a vendor are rejected; the message does not quote them', () => {
    expect(problemsOf({ keys: 'openai=oidc:i service-account=s', 'openai-api-key': 'k' })).toEqual([
      'keys: "openai" is also set by the input openai-api-key; remove one of them',
    ]);
  });

  test('read keys and identities from the lines of keys', () => {
    const keys =
      '# ours\nmistral = k\nanthropic=oidc:f organization=o audience=https://a.example\n';
    const { inputs, problems } = readInputs({ keys }, OWN_SETTINGS);
    const options = { organization: 'o', audience: 'https://a.example' };
    const identity = { id: 'f', audience: 'https://a.example', options };
    expect([problems, inputs.keys.mistral, inputs.keys.groq]).toEqual([[], 'k', null]);
    expect([...inputs.identities]).toEqual([['anthropic', identity]]);
  });

  test.each(['accept', 'ACCEPT', ' accept '])(
    'with the label %j for both approval and override are rejected',
    (label) => {
      const given = { 'override-label': label, 'untrusted-approval': 'accept' };
      const why =
        'is also the label of untrusted-approval, so every approval would override the verdict; use another label for one of them';
      expect(problemsOf(given)).toEqual([`override-label: "${label.trim()}" ${why}`]);
    },
  );

  test.each([
    ['x=http://llm.example/v1', 'must be https, or http on a loopback address'],
    ['x=http://127.0.0.1.evil.example/', 'must be https, or http on a loopback address'],
    ['x=ftp://127.0.0.1/', 'must be https, or http on a loopback address'],
    [
      'x=https://user:pass@llm.example/',
      'must not have a user name or password in its address; give the key as key=ENV_NAME',
    ],
    ['x=https://llm.example/?key=1', 'must not have ? or # in its address'],
    ['x=llm.example', 'must have a web address like https://host/v1'],
    [
      'x=https://llm.example key=sk-abc.def',
      'must be name=url key=ENV_NAME, where ENV_NAME is the name of an environment variable and not the key itself',
    ],
    ['x=https://a.example\nx=https://b.example', 'is defined twice'],
    [
      'x=https://a.example concurency=2',
      'has an option "concurency", which is not one of key, auth, header, volatile, api-version, insecure, direct, concurrency, requests-per-minute; did you mean "concurrency"?',
    ],
    [
      'x=https://a.example header=x-team:sk-abc.def',
      'must name a header as header=NAME:ENV_NAME, where ENV_NAME is the name of an environment variable and not the value itself',
    ],
    ['x=https://a.example header=host:OTHER', 'must not set the header host'],
    [
      'x=https://team.openai.azure.com/openai key=AZURE_KEY',
      'is an Azure address without a version: add api-version=2024-10-21, or use the newer form of the address, which ends in /openai/v1',
    ],
    [
      'x=https://team.openai.azure.com/openai?api-version=2024-10-21',
      'must not have ? in its address; write api-version=… after the address, as a separate word',
    ],
    [
      'x=http://ollama:11434/v1',
      'must be https, or http on a loopback address; if it is a service of the job, add "insecure" to its line',
    ],
    [
      'x=http://models.example.com/v1 insecure',
      'must be https: "insecure" is only for services of the job (http://ollama:11434), for .internal and .local names and for private addresses',
    ],
    ['x=https://a.example insecure', 'is https; remove "insecure", which is only for http://'],
    [
      'x=http://ollama:11434/v1 insecure key=OPENAI_API_KEY',
      'must not send OPENAI_API_KEY over plain http; for a service that runs in the job, use another key or none',
    ],
    [
      'x=https://a.example concurrency=0',
      'must have a concurrency from 1 to 1000 (calls at a time)',
    ],
  ])('with the endpoint line %s are rejected', (endpoints, message) => {
    expect(problemsOf({ endpoints })).toEqual([`endpoints: "x" ${message}`]);
  });

  test.each([
    ['http://proxy.example', 'must have a port'],
    ['http://proxy.example:0', 'must have a port'],
    ['proxy.example:3128', 'must be the address of a proxy'],
    ['socks5://proxy.example:1080', 'must be the address of a proxy'],
    ['http://me:secret@proxy.example:3128/pac', 'must have no path'],
  ])('with the proxy %s are rejected', (proxy, message) => {
    expect(problemsOf({ proxy })).toEqual([
      `proxy: ${message}: write http://host:port or https://host:port`,
    ]);
  });

  test('report an unknown override together with an invalid value', () => {
    const problems = [
      'overrides: foo.bar=1: unknown key "foo.bar"; known are prompts, references, tags, sample, model, n_tries, seed, transport, gate, budget, explain, coverage, qualeval, agent, instructions, grader',
      'overrides: gate.alpha=9: gate.alpha must be a number from 0.0001 to 0.5',
    ];
    const overrides = ['foo.bar=1', 'gate.alpha=9', 'grader.temperature=7'];
    expect(problemsOf({ overrides: overrides.join('\n') })).toEqual(problems);
    const read = readCommandLine({ own: OWN_SETTINGS, config: 'evaldiff.yaml', overrides });
    expect(read.problems.map(({ message }) => message)).toEqual(problems);
  });

  test('report all problems together and never a key', () => {
    const messages = problemsOf({
      mode: 'x',
      cache: 'y',
      endpoints: 'x=https://a.example key=sk-secret-1',
      'max-calls': 'z',
      overrides: '=w',
    });
    expect(messages).toHaveLength(5);
    expect(messages.join()).not.toContain('sk-secret');
  });
});

test('command-line options follow the same rules as action inputs', () => {
  const line = (overrides: string[], maxCalls: string) =>
    readCommandLine({ own: OWN_SETTINGS, config: 'c.yaml', overrides, maxCalls });
  expect(line(['n_tries=1'], '7')).toMatchObject({
    problems: [],
    inputs: { maxCalls: 7, read: { config: 'c.yaml', overrides: { settings: [{ value: 1 }] } } },
  });
  expect(line(['=x'], 'y').problems.map(({ message }) => message)).toEqual([
    '--max-calls: must be a whole number of at least 0, not "y"',
    'overrides: =x: must be key=value',
  ]);
});
