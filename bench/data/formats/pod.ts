// Perl's plain old documentation split at its headings, without verbatim blocks.
import { type Section, tidy } from './text.ts';

export function podSections(raw: string): Section[] {
  const sections: Section[] = [];
  let heading = '';
  let paragraphs: string[] = [];
  const endSection = (): void => {
    const text = tidy(paragraphs.join('\n'));
    if (text) sections.push({ heading, anchor: '', text });
    paragraphs = [];
  };
  for (const block of raw.split(/\n\s*\n/)) {
    const command = /^=(\w+)\s*([\s\S]*)$/.exec(block.trimEnd().replace(/^\n+/, ''));
    if (command?.[1].startsWith('head')) {
      endSection();
      heading = tidy(withoutFormats(command[2])).replace(/\n/g, ' ');
    } else if (command?.[1] === 'item') paragraphs.push(withoutFormats(command[2]).replace(/^\*\s*/, ''));
    else if (!command && !/^[ \t]/.test(block)) paragraphs.push(withoutFormats(block).replace(/\n/g, ' '));
  }
  endSection();
  return sections;
}

/** `B<bold>` becomes `bold` and `L<text|target>` becomes `text`; the innermost first. The stand-ins keep E<lt> and E<gt> from being brackets. */
function withoutFormats(pod: string): string {
  let text = pod;
  for (let before = ''; before !== text; ) {
    before = text;
    text = text
      .replace(/[BCFILSXZ]<(?:<+ )?([^<>]*?)(?: >+)?>/g, (_, inner: string) => inner.replace(/^([^|]*)\|.*$/, '$1'))
      .replace(/E<lt>/g, '\u0002')
      .replace(/E<gt>/g, '\u0003')
      .replace(/E<\w+>/g, '');
  }
  return text.replace(/\u0002/g, '<').replace(/\u0003/g, '>');
}
