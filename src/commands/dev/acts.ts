import type { Row } from '../../report/page/workbench.ts';

/** The buttons above a reference. */
export function actsHtml(_row: Row): string {
  return [
    '<div class="acts">',
    '<button type="button" data-kind="more">More tries (m)</button>',
    '<button type="button" data-kind="close">Close (Esc)</button>',
    '</div>',
  ].join('');
}
