// Encodes the text between highlighting tags.
import type { HighlightOptions } from '../request/highlight-request.ts';

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#x27;', '/': '&#x2F;' };

export function encodeText(text: string, { encoder }: Pick<HighlightOptions, 'encoder'>): string {
  return encoder === 'html' ? text.replace(/["&<>'/]/g, (char) => ENTITIES[char]) : text;
}
