import fc, { draws } from '../../../fuzz.ts';
import { read } from '../../config/tree.ts';

const KEYS = `
  prompts providers tests defaultTest assert vars options provider type value threshold
  metric weight id label raw config description path evaluateOptions repeat messages role
  content model modelParameters testData evaluators string contains llm choices choice
  score uses expected input name jsonSchema responseFormat data_sources eval function
  rubric kwargs depends_on metric_level completion_llm grader_llm function_name model_name
  data rubric_paths do_completion nb_evaluations_per_thread evals prompt assertions
  expectations expected_output files text check skill_name checks not_contains forbidden
  should_trigger skills query toString temperature __expected __config:__expected:threshold
`;
const key = fc.constantFrom(...KEYS.trim().split(/\s+/));
const word = fc.constantFrom<unknown>(
  null,
  0,
  1,
  -1.5,
  true,
  '',
  'x',
  '{{a}}',
  '{{ a.b[0] }}',
  '{% if %}',
  '{{ a in b or b[a] or a[b] }}',
  '{{',
  '}}',
  'file://x.yaml',
  'file://../x',
  'tests/*.csv',
  'x.jsonl',
  'openai:gpt-4o',
  'openai:',
  'http://x',
  'equals',
  'not-contains',
  'javascript',
  'llm-rubric',
  'is_role',
  'open_ai_completion',
  'litellm_completion',
  'Turn',
  'ToolCall',
  'regex',
  '(',
  'user',
  'system',
  '[{"role": "user", "content": "hi"}]',
  'json_schema',
  'github/similarity',
  'return 1',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 5 }),
  ),
})).any;
const map = fc.dictionary(key, value, { maxKeys: 7 });
const rows = fc.array(map, { maxLength: 3 });

describe("another tool's file", () => {
  test.each<
    [
      string,
      (
        written: Record<string, unknown>,
        list: Record<string, unknown>[],
      ) => Record<string, unknown>,
    ]
  >([
    [
      'promptfooconfig.yaml',
      (written, list) => ({
        prompts: ['Say {{a}}'],
        providers: ['openai:gpt-4o'],
        tests: list,
        ...written,
      }),
    ],
    [
      'x.prompt.yml',
      (written, list) => ({
        messages: [{ role: 'user', content: 'Say {{a}}' }],
        testData: list,
        evaluators: list,
        ...written,
      }),
    ],
    ['evals/evals.json', (written, list) => ({ evals: list, ...written })],
    [
      'flexeval.yaml',
      (written, list) => ({
        data_sources: [{ path: 'x.jsonl' }, ...list],
        eval: {
          do_completion: true,
          completion_llm: list[0],
          grader_llm: list[1],
          metrics: {
            function: [{ name: 'is_role', kwargs: { role: 'user' } }, ...list],
            rubric: list,
          },
          ...written,
        },
      }),
    ],
  ])('named %s never makes evaldiff throw, and all messages are readable', async (file, build) => {
    await fc.assert(
      fc.asyncProperty(map, rows, async (written, list) => {
        const { problems, notices } = await read({
          [file]: JSON.stringify(build(written, list)),
          'SKILL.md': '# {{a}}',
          'x.yaml': JSON.stringify(list),
          'x.jsonl': list.map((row) => JSON.stringify(row)).join('\n'),
          'evaldiff.yaml': 'grader: gpt-4o',
        });
        for (const message of [...problems, ...notices])
          expect(message).not.toMatch(/undefined|\[object|NaN/);
      }),
      { numRuns: draws(250) },
    );
  });
});
