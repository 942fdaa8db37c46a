// Pages of Mallard, GNOME's XML for help.
import { decodeEntities, tidy } from './text.ts';

export interface MallardPage {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

export function mallardPage(xml: string): MallardPage {
  const body = xml
    .replace(/<info[\s>][\s\S]*?<\/info>/, '')
    .replace(/<(?:code|screen)[^>]*>[\s\S]*?<\/(?:code|screen)>/g, (code) => (code.includes('\n') ? '' : code));
  const title = /<title[^>]*>([\s\S]*?)<\/title>/.exec(body)?.[1] ?? '';
  const paragraphs = Array.from(body.matchAll(/<p(?:\s[^>]*)?>([\s\S]*?)<\/p>/g), ([, paragraph]) =>
    tidy(plain(paragraph).replace(/\s+/g, ' ')),
  );
  return { title: tidy(plain(title)).replace(/\n/g, ' '), paragraphs: paragraphs.filter(Boolean) };
}

function plain(xml: string): string {
  return decodeEntities(xml.replace(/<[^>]+>/g, ''));
}
