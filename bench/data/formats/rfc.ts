// RFC text split at its headings, without page breaks, figures, tables and formal parts.
import type { Section } from './text.ts';

/** Headings of parts that every RFC repeats. */
const FORMAL =
  /^(?:full copyright|copyright|status of this memo|table of contents|contents|intellectual property|authors?['’]?s?['’]? address|author information|editors?['’]? address|contact information|(?:normative |informative )?references|index|expiration date|disclaimer)/i;
const FOOTER = /\[Page \d+\]\s*$/;
const HEADER = /^(?:RFC|Request for Comments)[ :]*\d+\b.{10,}\d{4}\s*$/i;
const NUMBERED_HEADING = /^ {0,3}((?:\d+\.)+\d*|\d+|Appendix [A-Z]\.?|[A-Z](?:\.\d+)+\.?|[A-Z]\.) {1,4}([A-Za-z"(].*)$/;
const PLAIN_HEADING = /^[A-Z][A-Za-z0-9 ,'/()-]{2,60}$/;
const CAPITALS = /^[A-Z0-9 ,'/()-]+$/;
const FEW_WORDS = /^[A-Z][a-z]+(?: [A-Z(a-z][\w)-]*){0,5}$/;
const MAX_HEADING = 76;
const MIN_PARAGRAPH = 20;
/** Share of letters among the characters that are not spaces, below which a paragraph is a figure or a table. */
const MIN_LETTERS = 0.72;
const MAX_DRAWING_CHARS = 6;

export function rfcSections(raw: string): Section[] {
  const splitter = new RfcSplitter();
  for (const line of withoutPageBreaks(raw)) splitter.line(line);
  return splitter.end();
}

function withoutPageBreaks(raw: string): string[] {
  const lines = raw.replace(/\r|\ufeff/g, '').split('\n');
  let formFeed = Number.NEGATIVE_INFINITY;
  return lines.flatMap((line, i) => {
    if (line.includes('\f')) formFeed = i;
    const plain = line.replace(/\f/g, '');
    const isHeader = HEADER.test(plain) && (i - formFeed <= 2 || i < 6);
    return FOOTER.test(plain) || isHeader ? [] : [plain.replace(/\s+$/, '')];
  });
}

class RfcSplitter {
  readonly #sections: Section[] = [];
  #heading = '';
  #anchor = '0';
  #paragraphs: string[] = [];
  #lines: string[] = [];
  #unnumbered = 0;
  #afterBlank = true;

  line(line: string): void {
    if (!line.trim()) {
      this.#endParagraph();
      this.#afterBlank = true;
      return;
    }
    const heading = this.#afterBlank && line.length < MAX_HEADING ? headingOf(line) : null;
    this.#afterBlank = false;
    if (heading) this.#begin(heading);
    else if (!isDrawing(line)) this.#lines.push(line.trim());
  }

  end(): Section[] {
    this.#endSection();
    return this.#sections;
  }

  #begin({ number, title }: { number: string; title: string }): void {
    this.#endSection();
    this.#heading = title.trim();
    const anchor = `section-${number.replace(/\.$/, '').replace('Appendix ', 'appendix-').toLowerCase()}`;
    this.#anchor = number ? anchor : `s${++this.#unnumbered}`;
    this.#paragraphs = [];
  }

  #endSection(): void {
    this.#endParagraph();
    if (this.#paragraphs.length === 0 || FORMAL.test(this.#heading)) return;
    this.#sections.push({ heading: this.#heading, anchor: this.#anchor, text: this.#paragraphs.join('\n') });
  }

  #endParagraph(): void {
    const text = this.#lines.join(' ').replace(/\s+/g, ' ').trim();
    this.#lines = [];
    if (text.length >= MIN_PARAGRAPH && isProse(text)) this.#paragraphs.push(text);
  }
}

function headingOf(line: string): { number: string; title: string } | null {
  if (/\.{4,}|\s\d+$/.test(line)) return null;
  const numbered = NUMBERED_HEADING.exec(line);
  if (numbered) return { number: numbered[1], title: numbered[2] };
  const isPlain = PLAIN_HEADING.test(line) && !line.endsWith(',') && (CAPITALS.test(line) || FEW_WORDS.test(line));
  return isPlain ? { number: '', title: line } : null;
}

/** ASCII art and packet diagrams. */
function isDrawing(line: string): boolean {
  return (line.match(/[|+=_<>*~^\\/]/g)?.length ?? 0) > MAX_DRAWING_CHARS || /-{4,}|\|\s|\.{5,}/.test(line);
}

function isProse(text: string): boolean {
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const spaces = text.match(/ /g)?.length ?? 0;
  if (letters / (text.length - spaces) < MIN_LETTERS) return false;
  return !/\.{5,}|(?:\. ){4,}|[-=_+*]{6,}|\|.*\|.*\|/.test(text);
}
