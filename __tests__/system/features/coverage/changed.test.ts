import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { coverageReport } from '../../../../src/features/coverage/report.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import { suggestedEdits } from '../../../../src/report/suggestions.ts';
import { axeFindings } from '../../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../../stand-ins/browser.ts';
import { shopPrompt } from '../../../stand-ins/eight-lines.ts';
import { openProject } from '../../../stand-ins/project.ts';
import {
  FILE,
  GRADER,
  LINES,
  TEST_DRAFTS,
  draftingModel,
  lineOf,
  shopFiles,
  shopModel,
} from './planted.ts';

const NEW = ['Name the refund period.', 'Sign every answer as Ada.'];

async function compare(
  settings: string,
  head: Record<string, string>,
  base: string[],
  answer = shopModel,
) {
  const project = await openProject(shopFiles(settings, base), { answer });
  const { repository, evaldiff } = project;
  repository.git('switch', '--quiet', '--create', 'topic');
  repository.commit('Head', head);
  const words = (text: string) => text.replaceAll(/\s+/g, ' ');
  const diff = async (...args: string[]) => {
    const { out, err, code } = await evaldiff('diff', '--base', 'main', '--no-store', ...args);
    return { out: words(out), err: words(err), code };
  };
  const reported = async () =>
    (await project.reported('diff', '--base', 'main', '--no-store')).result;
  return { ...project, diff, reported };
}

const statuses = ({ coverage = [] }: Result) =>
  coverage.map(({ lines }) => lines.map(({ unit, status }) => [unit.head_text, status]));

describe('coverage: changed', () => {
  const before = LINES.filter((line) => !NEW.includes(line));

  test('examines only new lines, with few calls if base is head without them', async () => {
    const { reported, diff, evaldiff } = await compare(
      'coverage: changed\n',
      { [FILE]: shopPrompt(LINES) },
      before,
    );
    const result = await reported();
    expect(statuses(result)).toEqual([
      [
        [NEW[0], 'held'],
        [NEW[1], 'untested'],
      ],
    ]);
    const [suite] = result.coverage ?? [];
    expect(suite).toMatchObject({ scope: 'changed', reason: null });
    expect(suite?.calls).toBeLessThanOrEqual(24);
    const { out, err, code } = await diff();
    expect(code).toBe(0);
    expect(err).toContain('; up to 40 more calls after the verdict;');
    expect(out).toMatch(
      new RegExp(
        `Tested lines of shop: 1 of 2 new or changed lines held, 1 untested \\(${FILE}:${lineOf(NEW[1] ?? '')} Sign every answer as Ada\\.\\); a drop above \\d+\\.\\d points would show\\.`,
      ),
    );
    const { out: planned } = await evaldiff('plan', '--base', 'main');
    expect(planned).toMatch(/; up to 40 more calls( \(\$[\d.]+\))? after the verdict/);
  });

  test('drafts a test with coverage.draft, and suggests it on the changed tests file', async () => {
    const files = shopFiles(`${GRADER}coverage: { lines: changed, draft: true }\n`, before);
    const tests = 'prompts/tests/shop.yaml';
    const { reported, diff } = await compare(
      `${GRADER}coverage: { lines: changed, draft: true }\n`,
      { [FILE]: shopPrompt(LINES), [tests]: `# Tests of the shop\n${files[tests] ?? ''}` },
      before,
      draftingModel(TEST_DRAFTS),
    );
    const result = await reported();
    const [{ lines = [] } = {}] = result.coverage ?? [];
    expect(lines.map(({ fix }) => fix?.kind)).toEqual([undefined, 'test']);
    const changed = [FILE, tests].map((path) => ({
      path,
      basePath: path,
      lines: [],
      deleted: false,
    }));
    const options = { root: '', marker: '<!-- m -->', links: NO_LINKS };
    const edits = suggestedEdits(result, [coverageReport], changed, options);
    expect(edits).toMatchObject([{ path: tests, startLine: 11, endLine: 11 }]);
    expect(edits[0]?.body).toContain('**Suggested test** for `shop`: passes 4 of 4 times with');
    expect(edits[0]?.body).toContain(
      '\n  - { input: { question: "Who are you?" }, expected: "Ada" }\n```',
    );
    expect(
      suggestedEdits({ ...result, trust: 'untrusted' }, [coverageReport], changed, options),
    ).toEqual([]);
    expect((await diff()).out).toContain(`Suggested test, ${tests}:11: passes 4 of 4 times`);
  });

  test('examines a reworded line by taking it away', async () => {
    const lines = LINES.map((line) => (line === NEW[0] ? 'Always name the refund period.' : line));
    const head = { [FILE]: shopPrompt(lines) };
    const { reported } = await compare('coverage: changed\n', head, LINES);
    expect(statuses(await reported())).toEqual([[['Always name the refund period.', 'held']]]);
  });

  test('asks nothing if it is off, no line changed, or no calls are left', async () => {
    const head = { [FILE]: shopPrompt(LINES) };
    expect((await (await compare('', head, before)).reported()).coverage).toBeUndefined();
    const fewer = await compare('coverage: changed\n', { [FILE]: shopPrompt(before) }, LINES);
    expect((await fewer.reported()).coverage).toBeUndefined();
    const capped = await compare(
      'coverage: changed\nn_tries: 2\nbudget: { max_calls: 32 }\n',
      head,
      before,
    );
    const result = await capped.reported();
    expect(result.coverage?.[0]?.reason).toContain('max_calls');
    expect(
      statuses(result)
        .flat()
        .map(([, status]) => status),
    ).toEqual(['unsettled', 'unsettled']);
    expect(result.usage.calls).toBeLessThanOrEqual(32);
  });

  test('fails the run for an untested line if coverage.untested is fail, as set on base', async () => {
    const settings = 'coverage: { lines: changed, untested: fail }\n';
    const { diff } = await compare(
      settings,
      { ...shopFiles('coverage: off\n'), [FILE]: shopPrompt(LINES) },
      before,
    );
    const { out, code } = await diff();
    expect(code).toBe(1);
    expect(out).toContain(
      `shop: answers change without ${FILE}:${lineOf(NEW[1] ?? '')}, and no test fails; coverage.untested is fail`,
    );
  });
});

inBrowser('the page of a run with coverage: changed', () => {
  test('shows the lines with the tests that hold them, without a fault of accessibility', async () => {
    const base = LINES.filter((line) => !NEW.includes(line));
    const head = { [FILE]: shopPrompt(LINES) };
    const { reported, repository } = await compare('coverage: changed\n', head, base);
    await reported();
    const browser = await openTestBrowser();
    const page = await openWindow(browser);
    const file = pathToFileURL(join(repository.directory, 'report/report.html'));
    await page.goto(`${file.href}#lines`);
    const held = page.locator('tr', { hasText: 'held by refund-' });
    await held.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await held.getByRole('button', { name: 'Show the test' }).click();
    await page.locator('output', { hasText: '1 of 8 shown' }).waitFor();
    expect(await page.locator('select[name=line]').inputValue()).toContain('Name the refund');
    await browser.close();
  });
});
