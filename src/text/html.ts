import { visible } from './visible.ts';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text for HTML and XML content and attributes: hidden characters shown, the five special ones as
 * entities. Lines stay.
 */
export function escapeMarkup(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
