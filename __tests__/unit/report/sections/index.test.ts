import { markdownOf } from '../../../../src/report/markdown.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import { SECTION_NAMES } from '../../../../src/report/sections/index.ts';
import {
  inTerminal,
  renderComment,
  renderSummary,
  sectionBlocks,
  unscriptedPage,
} from '../../../stand-ins/reports.ts';
import { regression, withProblems } from '../results.ts';

const results = [regression(), withProblems()];
const [whole] = COMMENT_LEVELS;

/** Letters and digits only, which are the same in every output format. */
const letters = (text: string) =>
  text.replace(/<[^>]*>|\u001b\[\d+m/g, '').replace(/&[^;]*;|[^\p{L}\p{N}]/gu, '');

describe.each(SECTION_NAMES)('the section %s', (name) => {
  const shown = results.filter((result) => sectionBlocks(result, whole!, [name]).length > 0);

  test('is in comment and summary with its full text', () => {
    for (const result of shown) {
      const wanted = letters(markdownOf(sectionBlocks(result, whole!, [name]), NO_LINKS));
      expect(letters(renderComment(result, { marker: '' }))).toContain(wanted);
      expect(letters(renderSummary(result))).toContain(wanted);
    }
  });

  test('is in the terminal, except the prompt for a coding agent, and on the page', async () => {
    for (const result of shown) {
      const begin = letters(markdownOf(sectionBlocks(result, whole!, [name]), NO_LINKS)).slice(
        0,
        6,
      );
      expect(letters(await unscriptedPage(result)).includes(begin)).toBe(true);
      if (name !== 'handoff') expect(letters(inTerminal(result, 300))).toContain(begin);
    }
  });
});
