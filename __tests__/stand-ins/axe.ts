import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Marks one element for each kind of element and context. The others have the same colours, and
 * checking ten thousand elements takes half a minute.
 */
const MARK = `(() => {
  const said = /^(?:id|for|name|value|href|title|dir|lang|data-(?:key|id)|aria-(?:label|labelledby|describedby|controls|rowindex|setsize|posinset)|d|points|transform|[xy][12]?|[cr][xy]?|width|height)$/;
  const numbers = new Map();
  const numberOf = (text) => numbers.get(text) ?? numbers.set(text, numbers.size).get(text);
  const isSaid = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '';
  const own = (part) => {
    const looks = [...part.attributes].filter(({ name }) => !said.test(name));
    return [
      part.localName,
      [...part.childNodes].some(isSaid),
      ...looks.map(({ name, value }) => name + '=' + value),
    ].join(' ');
  };
  const seen = new Set();
  const visit = (part, above) => {
    const place = numberOf(above + '>' + own(part));
    if (!seen.has(place)) part.dataset.looked = place;
    seen.add(place);
    for (const child of part.children) visit(child, place);
  };
  visit(document.body, '');
})()`;

/**
 * axe's findings in the current page: rules, each with its elements. Colours are checked once per
 * kind of element, everything else on all.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  await page.evaluate(MARK);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.configure({
      rules: [
        { id: 'color-contrast', selector: '[data-looked]' },
        { id: 'link-in-text-block', selector: 'a[href][data-looked]' },
      ],
    });
    axe
      .run({ resultTypes: ['violations'], selectors: false })
      .then(({ violations }) => violations)`,
  );
  await page.evaluate(
    `for (const part of document.querySelectorAll('[data-looked]')) delete part.dataset.looked`,
  );
  return found.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
}
