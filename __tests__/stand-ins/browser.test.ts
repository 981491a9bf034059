import type { Browser, CDPSession, Page } from 'playwright-core';
import { inBrowser, MONO, openTestBrowser, openWindow, SANS } from './browser.ts';

/** On other systems, Chromium does not read fontconfig's files. */
const onLinux = process.platform === 'linux' ? test : test.skip;

inBrowser('the browser of tests', () => {
  let browser: Browser;
  let page: Page;
  let session: CDPSession;
  beforeAll(async () => {
    browser = await openTestBrowser();
    page = await openWindow(browser);
    session = await page.context().newCDPSession(page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
  });
  afterAll(() => browser.close());

  /** The fonts that draw this text. */
  async function fontsOf(family: string, text: string) {
    await page.setContent(`<p style='font-family: ${family}'>${text}</p>`);
    const { root } = await session.send('DOM.getDocument');
    const of = { nodeId: root.nodeId, selector: 'p' };
    const { nodeId } = await session.send('DOM.querySelector', of);
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    return fonts.map(({ familyName }) => familyName);
  }

  onLinux.each([
    ['the sans-serif of GitHub', '"Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif', SANS],
    ['a font that nobody has', '"No such font"', SANS],
    ['the monospace of GitHub', 'ui-monospace, Menlo, Consolas, "Liberation Mono"', MONO],
  ])('draws %s in a font of its own', async (_what, family, own) => {
    expect(await fontsOf(family, 'Of course!')).toEqual([own]);
  });

  onLinux('has no other font for characters that its own fonts lack', async () => {
    const fonts = await fontsOf('sans-serif', 'a 漢 ✔ 👍');
    expect(fonts.filter((font) => font !== SANS && font !== MONO)).toEqual([]);
  });
});
