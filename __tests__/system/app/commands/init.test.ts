import { parse } from 'yaml';
import { factsOf } from '../../../../src/types/vendors.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { createRepository, filesBelow, temporaryFolder } from '../../../stand-ins/repository.ts';
import { read } from '../../../unit/config/tree.ts';

async function init(
  files: Record<string, string>,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
) {
  const repository = createRepository();
  repository.write(files);
  const given = { env: { ...withoutKeys().env, ...env } };
  const { code, out, err } = await commandIn(repository.directory, ['init', ...args], given);
  const { code: validated } = await commandIn(repository.directory, ['validate'], given);
  return { code, validated, out: out + err, files: filesBelow(repository.directory) };
}

const FROM = ['--from', 'acme/evaldiff@v1.0.0'];
const OWN = ['evaldiff.yaml', 'prompts/support.yaml'];
const NEW = ['.github/workflows/evaldiff.yml', ...OWN];

const promptfoo = (...providers: string[]) =>
  `prompts: ['{{x}}']\nproviders: ${JSON.stringify(providers)}\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]\n`;
const PROMPTFOO = promptfoo('openai:gpt-4o');
const own = (prompt: string, path = 'prompts/own.yaml'): Record<string, string> => ({
  [path]: `name: own\n${prompt}prompt: hi\ntests: { metrics: [{ uses: is_json }], references: [{}] }\n`,
});

describe('evaldiff init', () => {
  test('creates a project that can be evaluated immediately', async () => {
    const { code, validated, files } = await init({}, FROM);
    expect([code, validated, Object.keys(files)]).toEqual([0, 0, NEW]);
    const { project, problems, notices } = await read(files);
    expect([problems, notices]).toEqual([[], []]);
    const [suite, ...more] = project.suites;
    expect(more).toEqual([]);
    expect(suite?.prompt).toMatchObject({
      ...{ name: 'support', model: factsOf('openai').starterModel },
    });
    expect(suite?.tests.references).toHaveLength(3);
    const [workflow = '', settings = '', prompt = ''] = NEW.map((path) => files[path]);
    expect(prompt.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    expect(Object.keys(parse(settings) as object)).toEqual(['grader']);
    expect(workflow.match(/secrets\.\w+/g)).toEqual(['secrets.OPENAI_API_KEY']);
    expect(Object.values(files).join('')).not.toContain('<owner>');
  });

  test('picks the vendor that has a key', async () => {
    const { files, out } = await init({}, [], { ANTHROPIC_API_KEY: 'k' });
    expect(files['prompts/support.yaml']).toContain(
      `model: ${factsOf('anthropic').starterModel}\n`,
    );
    expect(out).toContain('repository secret ANTHROPIC_API_KEY');
  });

  test('prefers the vendor whose models the project names, then a vendor with a key, even one in .env', async () => {
    const named = await init(own('model: claude-sonnet-4-5\n'), [], { OPENAI_API_KEY: 'k' });
    expect(named.files['evaldiff.yaml']).toContain(factsOf('anthropic').starterModel);
    expect(named.out).toContain('repository secret ANTHROPIC_API_KEY');
    const kept = await init({ '.env': 'ANTHROPIC_API_KEY=from-the-file\n' });
    expect(kept.files['prompts/support.yaml']).toContain(factsOf('anthropic').starterModel);
    expect(kept.out).toContain('.env: took ANTHROPIC_API_KEY\n');
    expect(JSON.stringify([kept.out, kept.files['evaldiff.yaml']])).not.toContain('from-the-file');
  });

  test('with --keyless writes a workflow without a secret, or nothing if a vendor needs a key', async () => {
    const { files, out } = await init({}, ['--keyless', ...FROM]);
    const workflow = files['.github/workflows/evaldiff.yml'] ?? '';
    expect(workflow).not.toMatch(/secrets\.|api-key/);
    const { jobs } = parse(workflow) as { jobs: { evaldiff: Record<string, unknown> } };
    expect(jobs.evaldiff).toMatchObject({
      permissions: { contents: 'read', 'id-token': 'write' },
      steps: [{ with: { keys: 'openai=oidc:<ID> service-account=<ID>\n' } }],
    });
    expect(out).toContain(
      "Register this repository's identity with OpenAI, and write its ids into",
    );
    const keyed = await init({}, ['--keyless', ...FROM], { MISTRAL_API_KEY: 'k' });
    expect([keyed.code, keyed.files]).toEqual([2, {}]);
    expect(keyed.out).toContain('init: mistral needs a key');
  });

  test('prints the next three commands at the end', async () => {
    const { out } = await init({});
    const last = out.trimEnd().split('\n').slice(-3);
    expect(last.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(
      ['validate', 'dev', 'diff'].map((command) => `npx evaldiff ${command}`),
    );
  });

  test('reports a missing git repository, and says where to put the key', async () => {
    const folder = temporaryFolder('empty');
    const { code, out } = await commandIn(folder, ['init'], withoutKeys());
    expect([code, Object.keys(filesBelow(folder))]).toEqual([0, OWN]);
    expect(out).toMatch(/^ {2}1\. Run git init here, and commit: /m);
    expect(out).toContain(
      'repository secret OPENAI_API_KEY; on this machine, export it as OPENAI_API_KEY, or write OPENAI_API_KEY=… into .env (and .env into .gitignore).',
    );
    expect((await init({})).out).not.toContain('git init');
    for (const given of [
      init({}, [], { OPENAI_API_KEY: 'k' }),
      init({ '.env': 'OPENAI_API_KEY=k\n' }),
    ])
      expect((await given).out).toContain(
        'repository secret OPENAI_API_KEY; on this machine it is already set.',
      );
  });

  test('does not change existing files and adds no example to a project with prompts', async () => {
    const kept = {
      'llmeval.yaml': 'n_tries: 2\n',
      ...own('model: gpt-4o\n'),
      '.github/workflows/prompts.yml': 'jobs:\n  a:\n    steps:\n      - uses: acme/evaldiff@v1\n',
    };
    const { code, validated, out, files } = await init(kept);
    expect([code, validated, files]).toEqual([0, 0, kept]);
    expect(out).toContain(
      'kept  llmeval.yaml\nkept  prompts/own.yaml\nkept  .github/workflows/prompts.yml\n',
    );
  });

  test('changes nothing the second time', async () => {
    const first = await init({}, FROM);
    const second = await init(first.files, FROM);
    expect([second.code, second.files]).toEqual([0, first.files]);
    expect(second.out).not.toContain('wrote');
  });

  test("finds another tool's files and lists what to do with them", async () => {
    const { out, files, validated } = await init({ 'promptfooconfig.yaml': PROMPTFOO }, FROM);
    expect(out).toContain(
      'found promptfooconfig.yaml: evaldiff reads it directly; npx evaldiff import promptfooconfig.yaml converts it',
    );
    expect([Object.keys(files), validated]).toEqual([
      ['.github/workflows/evaldiff.yml', 'evaldiff.yaml', 'promptfooconfig.yaml'],
      0,
    ]);
    // `init` must not convert these files: evaldiff already evaluates them directly.
    const { project, problems } = await read(files);
    expect([problems, project.suites.map(({ tests }) => tests.references.length)]).toEqual([
      [],
      [1],
    ]);
  });

  test.each([
    [
      'in a separate folder',
      { 'promptfoo/promptfooconfig.yaml': PROMPTFOO, 'b/promptfooconfig.yaml': PROMPTFOO },
      [
        'prompts: ["b/promptfooconfig.yaml","promptfoo/promptfooconfig.yaml"]',
        '2 prompts with 2 references: no errors',
      ],
    ],
    [
      'that name no model',
      {
        'SKILL.md': 'Be kind.',
        'evals/evals.json':
          '{"skill_name": "kind", "evals": [{"id": 1, "prompt": "hi", "assertions": ["is kind"]}]}',
      },
      ['models:\n  default: { provider: openai, model: ', '1 prompt with 1 reference: no errors'],
    ],
  ])("writes settings that can read another tool's files: files %s", async (_, written, said) => {
    const { out, files, validated } = await init(written);
    expect(validated).toBe(0);
    for (const line of said) expect(`${out}${files['evaldiff.yaml'] ?? ''}`).toContain(line);
  });

  test('reports what validate finds in existing files before the next steps', async () => {
    const { code, out, validated } = await init({ 'prompts/own.yaml': 'name: own\nprompt: hi\n' });
    expect([code, validated]).toEqual([0, 2]);
    expect(out).toMatch(
      /kept {2}prompts\/own\.yaml\n\nnpx evaldiff validate finds 1 error; fix these first:\n {2}prompts\/own\.yaml: "model" is missing\n\nNext:/,
    );
  });

  test('names formats that evaldiff does not read and still creates the project', async () => {
    const { out, files, validated } = await init({
      'prompts/synonym.yaml': '_type: prompt\ninput_variables: [word]\ntemplate: Say {word}\n',
      'src/chat.prompty': '---\nname: chat\n---\nsystem:\nHi\n',
      'skills/pdf/eval.yaml': 'tasks: [{ name: a, instruction: Write. }]\n',
    });
    expect([validated, files['prompts/support.yaml'] !== undefined]).toEqual([0, true]);
    expect(out).not.toContain('kept  prompts/synonym.yaml');
    for (const [file, label] of [
      ['prompts/synonym.yaml', 'LangChain'],
      ['src/chat.prompty', 'Prompty'],
      ['skills/pdf/eval.yaml', 'skillgrade'],
    ])
      expect(out).toContain(
        `found ${String(file)}: it is a file of ${String(label)}, which evaldiff cannot read. Write a `,
      );
  });

  test("lists the keys of all vendors that another tool's file uses, in the next steps and in the workflow", async () => {
    const { out, files, validated } = await init(
      {
        'promptfooconfig.yaml': promptfoo(
          'anthropic:messages:claude-haiku-4-5',
          'google:gemini-3.5-flash',
        ),
      },
      FROM,
      { OPENAI_API_KEY: 'k' },
    );
    expect(validated).toBe(0);
    for (const key of ['ANTHROPIC_API_KEY', 'GEMINI_API_KEY'])
      expect(out).toContain(`Add your model key as the repository secret ${key}`);
    expect(out).not.toContain('OPENAI_API_KEY');
    const workflow = parse(files['.github/workflows/evaldiff.yml'] ?? '') as {
      jobs: { evaldiff: { steps: { with: Record<string, string> }[] } };
    };
    expect(workflow.jobs.evaldiff.steps.at(-1)?.with).toEqual({
      'anthropic-api-key': '${{ secrets.ANTHROPIC_API_KEY }}',
      'gemini-api-key': '${{ secrets.GEMINI_API_KEY }}',
    });
  });

  test("adds the servers named in the settings to the workflow and requires no vendor's key", async () => {
    const { out, files } = await init(
      {
        'evaldiff.yaml':
          'models:\n  m: { provider: openai, endpoint: in-house }\n  g: { provider: openai, endpoint: judges }\ngrader: { model: g }\n',
        'prompts/a.yaml':
          'name: a\ndefaults: [tests/a]\nmodel: m\nmessages: [{ role: human, content: Hi }]\n',
        'prompts/tests/a.yaml':
          'metrics: [{ uses: closed_qa, with: { criteria: is kind } }]\nreferences: [{ id: r, input: {} }]\n',
      },
      FROM,
    );
    const { jobs } = parse(files['.github/workflows/evaldiff.yml'] ?? '') as {
      jobs: { evaldiff: { steps: { env: object; with: { endpoints: string } }[] } };
    };
    expect(jobs.evaldiff.steps[0]?.with.endpoints).toBe(
      'in-house=https://<address> key=KEY_OF_IN_HOUSE\njudges=https://<address> key=KEY_OF_JUDGES\n',
    );
    expect(jobs.evaldiff.steps[0]?.env).toEqual({
      KEY_OF_IN_HOUSE: '${{ secrets.KEY_OF_IN_HOUSE }}',
      KEY_OF_JUDGES: '${{ secrets.KEY_OF_JUDGES }}',
    });
    expect(out).toContain('Add the address of the server in-house to the workflow (endpoints)');
    expect(out).not.toContain('OPENAI_API_KEY');
  });

  test('says which models have no price', async () => {
    const { out, validated } = await init({
      'promptfooconfig.yaml': promptfoo('openai:gpt-99-new', 'together:own/model'),
    });
    expect(validated).toBe(0);
    expect(out).toMatch(
      /No price is known for gpt-99-new.*own\/model, so the cost cap does not count it/,
    );
  });

  test('run in a subfolder puts the workflow in the repository root and names it after the subfolder', async () => {
    const folder = 'services/the "chat"';
    const { code, out, files } = await init(
      {
        [`${folder}/README.md`]: '',
        '.github/workflows/evaldiff.yml':
          'jobs:\n  a:\n    steps:\n      - uses: acme/evaldiff@v1\n',
      },
      ['--directory', folder, ...FROM],
    );
    const workflow = '.github/workflows/evaldiff-services-the-chat.yml';
    expect([code, Object.keys(files).filter((path) => /ya?ml$/.test(path))]).toEqual([
      0,
      [
        '.github/workflows/evaldiff.yml',
        workflow,
        ...NEW.slice(1).map((path) => `${folder}/${path}`),
      ].sort(),
    ]);
    const { name, concurrency, jobs } = parse(files[workflow] ?? '') as {
      name: string;
      concurrency: { group: string };
      jobs: Record<string, { steps: { uses: string; with?: Record<string, string> }[] }>;
    };
    const job = jobs['evaldiff-services-the-chat'];
    expect([name, Object.keys(jobs), concurrency.group.split('$')[0]]).toEqual([
      `Prompts (${folder})`,
      ['evaldiff-services-the-chat'],
      'evaldiff-services-the-chat-',
    ]);
    const given = job?.steps.find(({ uses }) => uses === 'acme/evaldiff@v1.0.0')?.with;
    expect(given).toMatchObject({ 'working-directory': folder });
    expect(given).not.toHaveProperty('check-name');
    expect(out).toContain(`wrote ${folder}/evaldiff.yaml\n`);
    expect(out).toContain(
      `npx evaldiff validate --directory 'services/the "chat"'  checks the files`,
    );
    expect(out).toContain('Make the job "evaldiff-services-the-chat" a required check');
    const again = await init(files, ['--directory', folder, ...FROM]);
    expect([again.files, again.out]).toEqual([
      files,
      expect.stringContaining(`kept  ${workflow}\n`),
    ]);
    expect((await init(files)).files['evaldiff.yaml']).toBeDefined();
  });

  test('refuses a folder whose name is unsafe in a workflow', async () => {
    const { code, out, files } = await init({ 'a${{ github.token }}/README.md': '' }, [
      ...FROM,
      '--directory',
      'a${{ github.token }}',
    ]);
    expect([code, Object.keys(files), out]).toEqual([
      2,
      ['a${{ github.token }}/README.md'],
      'the folder name "a${{ github.token }}" is unsafe in a workflow; rename the folder\n',
    ]);
  });

  test('does not mistake another workflow with the same name for its own', async () => {
    const other = { '.github/workflows/evaldiff.yml': 'jobs: {}\n' };
    const { out, files } = await init(other, FROM);
    expect(files['.github/workflows/evaldiff.yml']).toBe('jobs: {}\n');
    expect(out).toContain(
      'kept  .github/workflows/evaldiff.yml: it does not evaluate this project',
    );
  });
});
