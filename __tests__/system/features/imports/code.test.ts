import {
  javascriptMetric,
  pythonMetric,
  type CodeCheck,
} from '../../../../src/features/imports/promptfoo/code.ts';
import {
  javascriptProblem,
  pythonProblem,
} from '../../../../src/features/imports/promptfoo/foreign-code.ts';
import { realSandbox } from '../../metrics/real-sandbox.ts';

const sandbox = realSandbox();

const check = (source: string, more: Partial<CodeCheck> = {}): CodeCheck => ({
  source,
  threshold: null,
  negate: false,
  structured: [],
  unlike: {},
  asData: false,
  config: undefined,
  change: null,
  ...more,
});

async function run(
  language: 'javascript' | 'python',
  code: string,
  actual = 'Hello there',
  input: Record<string, string> = { word: 'Hello' },
): Promise<unknown> {
  const [result] = await sandbox.evaluate({
    suite: 'p',
    side: 'head',
    language,
    code,
    outputs: ['metric', 'result'],
    inputs: [{ prompt: 'user: hi', actual, input, expected: undefined }],
  });
  return result?.status === 'ok'
    ? [result.values['metric'], result.values['result']]
    : result?.message;
}

describe('a JavaScript assertion in the sandbox', () => {
  test.each<[string, string, Partial<CodeCheck>, unknown]>([
    ['a number below the threshold', 'output.length / 100', { threshold: 0.5 }, [0.11, false]],
    [
      'a map below the threshold, which says itself that it passes',
      '({ pass: true, score: 0.3, reason: "ok" })',
      { threshold: 0.5 },
      [0.3, true],
    ],
    ['a negated check', 'output.includes("x")', { negate: true }, [0, true]],
    ['its config', 'context.config.least < output.length', { config: { least: 3 } }, [1, true]],
  ])('has the same meaning as in promptfoo: %s', async (_, source, more, wanted) => {
    expect(await run('javascript', javascriptMetric(check(source, more), 'inline'))).toEqual(
      wanted,
    );
  });

  test.each(['javascript', 'python'] as const)(
    'receives parsed data in %s if a schema guarantees it, and otherwise text',
    async (language) => {
      const [wrap, source] =
        language === 'javascript'
          ? [javascriptMetric, 'output.cost === 8 || output === "cost"']
          : [pythonMetric, 'output == "cost" or output["cost"] == 8'];
      const code = wrap(check(source, { asData: true }), 'inline');
      expect(await run(language, code, '{ "cost": 8 }')).toEqual([1, true]);
      expect(await run(language, code, 'cost')).toEqual([1, true]);
    },
  );

  test('receives maps and lists as data, not as text', async () => {
    const code = javascriptMetric(
      check('context.vars.user.tags.length === 2 && context.vars.word === "a"', {
        structured: ['user', 'word'],
      }),
      'inline',
    );
    expect(await run('javascript', code, 'x', { user: '{"tags": [1, 2]}', word: 'a' })).toEqual([
      1,
      true,
    ]);
  });

  test('that needs an unavailable feature is reported before it runs', () => {
    expect(javascriptProblem('const fs = require("fs")')).toContain('it uses require');
    expect(javascriptProblem('return await fetch("x")')).not.toBeNull();
    expect(javascriptProblem('process.env.KEY')).toContain('process.');
    expect(javascriptProblem('output.includes("imported processes awaited")')).toBeNull();
  });
});

describe('a Python assertion in the sandbox', () => {
  test.each<[string, string, Partial<CodeCheck>, unknown]>([
    ['a number', 'len(output) / 100', { threshold: 0.5 }, [0.11, false]],
    ['a map', "{'pass': True, 'score': 0.4, 'reason': 'ok'}", {}, [0.4, true]],
    [
      'its config',
      "context['config']['least'] < len(output)",
      { config: { least: 3, text: 'a "b"\n' } },
      [1, true],
    ],
  ])('has the same meaning as in promptfoo: %s', async (_, source, more, wanted) => {
    expect(await run('python', pythonMetric(check(source, more), 'inline'))).toEqual(wanted);
  });

  test('can be a file with get_assert, and receives maps as data', async () => {
    const source =
      "def get_assert(output, context):\n    return {'pass': len(context['vars']['user']['tags']) == 2, 'score': 1, 'reason': 'two'}\n";
    expect(
      await run('python', pythonMetric(check(source, { structured: ['user'] }), 'file'), 'x', {
        user: '{"tags": [1, 2]}',
      }),
    ).toEqual([1, true]);
  });

  test.each([
    ['import json, re\nreturn True', null],
    ['from __future__ import annotations\nfrom urllib.parse import urlparse', null],
    ['# import requests\n"""\nimport numpy\nopen("x")\n"""\nreturn "open(" in output', null],
    ['try:\n    import numpy\nexcept ImportError:\n    numpy = None', null],
    ['reopen(1)\nself.open(2)', null],
    ['import json\nimport requests as r', 'it imports requests on line 2'],
    ['def f():\n    from .helpers import x', 'it imports . on line 2'],
    ['import os, numpy', 'it imports numpy, and code runs here without'],
    ['with open("x") as f:\n    pass', 'it uses open, and'],
    ['import os\nos.environ["KEY"]', 'it uses os.environ on line 2'],
    ['import urllib.request', 'it uses urllib.request'],
    ['Path("a").read_text()', 'it uses read_text'],
    ["context['providerResponse']['cost']", 'providerResponse'],
  ])('is checked before it runs: %j', (source, said) => {
    const found = pythonProblem(source);
    if (said === null) expect(found).toBeNull();
    else expect(found).toContain(said);
    expect(pythonProblem('\nimport requests', 'c/x.py')).toContain(
      'it imports requests at c/x.py:2',
    );
  });
});
