import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { FILE, GRADER, LINES, shopFiles, shopModel } from './planted.ts';

async function open(files: Record<string, string>, answer: Script, prompts = ['shop']) {
  const { repository, server } = await openProject(files, { answer });
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const { code } = await commandIn(repository.directory, ['improve', ...prompts, ...args], {
      env: localEndpoint(server),
      width: 160,
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { code, out, err };
  };
  const prompt = () => readFileSync(join(repository.directory, FILE), 'utf8');
  return { run, prompt, server };
}

const systemOf: (request: Parameters<Script>[0]) => string = ({ messages }) =>
  messages.length > 1 ? (messages[0]?.content ?? '') : '';

describe('evaldiff improve --shorter', () => {
  test('takes away the lines without an effect, and writes only if told', async () => {
    const { run, prompt, server } = await open(shopFiles(), shopModel);
    const before = prompt();
    const stored = ['--shorter', '--store', 'kept.sqlite'];
    const { code, out } = await run(...stored);
    expect(code).toBe(0);
    expect(out).toMatch(
      /prompts\/shop\.yaml:9: saves 9 tokens a call; broke none of 8 tests in 6 tries each; with 95 % certainty, the pass rate falls by at most 8\.8 points/,
    );
    expect(out).toContain('Write with: npx evaldiff improve --shorter --apply');
    expect(prompt()).toBe(before);
    const asked = server.requests.length;
    await run(...stored, '--apply');
    expect(server.requests).toHaveLength(asked);
    const lines = LINES.filter((line) => !['You answer for a shop.', 'Be polite.'].includes(line));
    expect(prompt()).toBe(shopFiles('', lines)[FILE]);
  });

  test('shows nothing if fresh tries fail without the lines', async () => {
    // Both idle lines are needed by one test as soon as the search has cleared them.
    let whole = 0;
    const forgetful: Script = (request) => {
      const system = systemOf(request);
      const isShort = !system.includes('polite') && !system.includes('answer for');
      const isA = request.messages.at(-1)?.content.includes('Refund of a') === true;
      if (isShort && isA && system.includes('Ada')) whole += 1;
      return whole > 0 && isShort && isA && system.includes('Ada')
        ? { text: 'no' }
        : shopModel(request);
    };
    const { run, prompt } = await open(shopFiles(), forgetful);
    const before = prompt();
    const { out } = await run('--shorter', '--no-store', '--apply');
    expect(out).toContain('No change of shop is proven: ');
    expect(prompt()).toBe(before);
  });

  test('says what a few tests cannot exclude', async () => {
    const files = shopFiles();
    const tests = 'prompts/tests/shop.yaml';
    const few = files[tests]?.split('\n').filter((line) => !/-[bcdfgh],/.test(line));
    const { run } = await open({ ...files, [tests]: few?.join('\n') ?? '' }, shopModel);
    const { out } = await run('--shorter', '--no-store');
    expect(out).toContain('too few tests pass every time to exclude that more than 10 of 100');
  });

  test('counts tests that often fail, too, and leaves its calls within what it announced', async () => {
    // Two tests pass only while the prompt is whole, and then not always.
    const made = new Map<string, number>();
    const moody: Script = (request) => {
      const asked = request.messages.at(-1)?.content ?? '';
      if (!/of [ae]\?/.test(asked)) return shopModel(request);
      const key = `${asked} ${systemOf(request)}`;
      const times = made.get(key) ?? 0;
      made.set(key, times + 1);
      const isWhole = systemOf(request).includes('answer for a shop');
      return isWhole && times === 0 ? shopModel(request) : { text: 'no' };
    };
    const { run, server } = await open(shopFiles(), moody);
    const { out, err } = await run('--shorter', '--no-store');
    expect(out).toContain('No change of shop is proven: ');
    const announced = Number(/up to (\d+) calls without/.exec(err)?.[1]);
    expect(server.requests.length - 24).toBeLessThanOrEqual(announced);
  });

  test('ends with 2 if the calls do not suffice', async () => {
    const { run } = await open(shopFiles(), shopModel);
    const { out, code } = await run('--shorter', '--no-store', 'coverage.max_calls=12');
    expect(out).toContain('the announced calls did not suffice');
    expect(code).toBe(2);
  });

  test('gives each prompt the calls that it needs, and ends with 0 beside a prompt in code', async () => {
    const code =
      'name: zcode\nmodel: quiz-model\ndefaults: [tests/shop]\nvariables: [{ name: question }]\ncode: |\n  output = "30 days, 9 to 5"\n';
    const files = { ...shopFiles(), 'prompts/zcode.yaml': code };
    const { run } = await open(files, shopModel, []);
    const { out, code: ended } = await run('--shorter', '--no-store', '--code', 'host');
    expect(out).toContain('saves 9 tokens a call');
    expect(out).toContain('No change of zcode is proven: the prompt is code.');
    expect(ended).toBe(0);
  });

  test('says that every line has an effect', async () => {
    const { run } = await open(
      shopFiles('', ['Name the refund period.', 'Say 9 to 5.']),
      shopModel,
    );
    const { out, code } = await run('--shorter', '--no-store');
    expect(out).toContain('No change of shop is proven: every line has an effect.');
    expect(code).toBe(0);
  });
});

/** The grader's words, and a model that fails without them. */
const rewording =
  (becomes: string): Script =>
  (request) =>
    request.schema === null
      ? shopModel(request)
      : { text: JSON.stringify({ insights: [{ was: 'Be polite.', becomes }] }) };

const LACKING = LINES.filter((line) => !/refund/.test(line));

describe('evaldiff improve', () => {
  test("shows the grader's words if tests that it did not see then pass", async () => {
    const files = shopFiles(GRADER, LACKING);
    const { run, prompt } = await open(files, rewording('Be polite. Name the refund period.'));
    const { out, code } = await run('--no-store', '--apply');
    expect(code).toBe(0);
    expect(out).toContain('fixes 2 of 2 tests that the grader did not see and broke none of 4');
    expect(prompt()).toContain('Be polite. Name the refund period.');
  });

  test('shows none that repairs nothing, or that breaks another test', async () => {
    for (const words of ['Be kind.', 'Name the refund period. No hours: ']) {
      const breaking: Script = (request) =>
        systemOf(request).includes('No hours') && request.schema === null
          ? { text: 'Refund in 30 days.' }
          : rewording(words)(request);
      const { run, prompt } = await open(shopFiles(GRADER, LACKING), breaking);
      const before = prompt();
      const { out } = await run('--no-store', '--apply');
      expect(out).toContain('the only candidate that ran does not fix');
      expect(prompt()).toBe(before);
    }
  });

  test('shows none that halves a test which passes in some tries', async () => {
    const asked = new Map<string, number>();
    const moody: Script = (request) => {
      const [system, question] = [systemOf(request), request.messages.at(-1)?.content ?? ''];
      const times = asked.get(system + question) ?? 0;
      asked.set(system + question, times + 1);
      const isMoody = question.includes('of e?') && request.schema === null;
      const fails = isMoody && (times % 3 === 1 || system.includes('refund period'));
      return fails ? { text: 'no' } : rewording('Be polite. Name the refund period.')(request);
    };
    const { run } = await open(shopFiles(GRADER, LACKING), moody);
    expect((await run('--no-store')).out).toContain('the only candidate that ran does not fix');
  });

  test('needs failing tests and a grader', async () => {
    const { run } = await open(shopFiles(GRADER), rewording('Be kind.'));
    expect((await run('--no-store')).out).toContain('fewer than two tests fail in most tries');
    const { err, code } = await (await open(shopFiles(), shopModel)).run();
    expect(code).toBe(2);
    expect(err).toContain('improve needs a grader; set grader: { model: … }');
  });
});
