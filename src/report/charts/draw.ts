import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeMarkup } from '../../text/html.ts';

/** The page's colours, by what they mean: they follow its light and dark scheme. */
export const COLOURS = {
  text: 'var(--text)',
  soft: 'var(--soft)',
  line: 'var(--line)',
  page: 'var(--page)',
  mark: 'var(--link)',
  bad: 'var(--bad)',
  good: 'var(--good)',
  open: 'var(--open)',
} as const;

export type Colour = keyof typeof COLOURS;

/** Letters of axes and notes, and of names. Pixels. */
export const SMALL = 11;
export const LETTERS = 12;

export interface Drawing {
  /** Pixels at which it is drawn; the page scales it down where there is less room. */
  width: number;
  height: number;
  /** What a reader is told who does not see it; one sentence. */
  label: string;
  option: EChartsCoreOption;
}

/**
 * A chart as an SVG element for the report's page: the same bytes for the same drawing, whatever
 * was drawn before, no id, no style of its own (the page's policy forbids both to apply), every
 * text in it escaped.
 */
export function draw({ width, height, label, option }: Drawing): string {
  use([CustomChart, LineChart, ScatterChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      silent: true,
      textStyle: { color: COLOURS.soft, fontSize: SMALL },
      ...option,
    });
    return plain(
      chart.renderToSVGString(),
      `<svg class="chart" width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="${escapeMarkup(label)}">`,
    );
  } finally {
    // Without it a timer keeps the process alive.
    chart.dispose();
  }
}

/**
 * Takes out what only serves a pointer, and what differs from one drawing to the next. Texts in it
 * hold no quote and no angle bracket, those are entities, so an attribute found by its quotes is
 * one.
 */
function plain(svg: string, opening: string): string {
  return (
    svg
      .replace(/^<svg[^>]*>/, () => opening)
      .replace(/<style[^]*?<\/style>/g, '')
      // Nothing is drawn outside of the axes, so nothing needs to be clipped.
      .replace(/<defs[^]*?<\/defs>/g, '')
      .replace(
        / (?:class="zr[^"]*"|ecmeta_\w+="[^"]*"|clip-path="[^"]*"|pointer-events="[^"]*"|xml:space="[^"]*")/g,
        '',
      )
      .replace(/ style="([^"]*)"/g, (_, declarations: string) => presentation(declarations))
      .replace(/<rect [^>]*fill="none"><\/rect>\n?/, '')
      .replace(/<g><\/g>/g, '')
      .replace(/\n+/g, '')
      .toWellFormed()
  );
}

/** `font-size:12px` as the attribute of the same name; the family is the page's. */
function presentation(declarations: string): string {
  return declarations
    .split(';')
    .map((one) => one.split(':'))
    .filter(([name, value]) => name !== 'font-family' && name !== '' && value !== undefined)
    .map(([name = '', value = '']) => ` ${name}="${value.replace(/px$/, '')}"`)
    .join('');
}
