// Parses synonym rules in the Solr and WordNet formats to a trie over words.
import { javaTrim } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Words of one side of a rule. */
export type Phrase = readonly string[];

/** A node of the trie of left sides. */
export interface SynonymNode {
  readonly next: Map<string, SynonymNode>;
  outputs: Phrase[] | null;
  /** True if the matched words are kept in addition to the outputs. */
  keepOriginal: boolean;
}

export interface SynonymMap {
  readonly root: SynonymNode;
  readonly isEmpty: boolean;
}

/** Analyzes one side of a rule; null skips it. @throws ApiError: it has no words, or they are not at consecutive positions */
export type PhraseAnalyzer = (text: string) => Phrase | null;

export class SynonymMapBuilder {
  readonly #root: SynonymNode = newNode();

  add(input: Phrase, output: Phrase, keepOriginal: boolean): void {
    let node = this.#root;
    for (const word of input) {
      let next = node.next.get(word);
      if (!next) {
        next = newNode();
        node.next.set(word, next);
      }
      node = next;
    }
    node.outputs ??= [];
    node.keepOriginal ||= keepOriginal;
    const key = output.join('\0');
    if (!node.outputs.some((other) => other.join('\0') === key)) node.outputs.push(output);
  }

  build(): SynonymMap {
    return { root: this.#root, isEmpty: !this.#root.next.size };
  }
}

function newNode(): SynonymNode {
  return { next: new Map(), outputs: null, keepOriginal: false };
}

/** An invalid rule. Users do not see the line, since the service reports "Failed to build synonyms". */
function invalid(line: number, reason: string): ApiError {
  return new ApiError('parse_exception', 400, `Invalid synonym rule at line ${line}: ${reason}`);
}

/**
 * Parses `a, b => c` and `a, b, c`; `\` escapes a character. Comments start with #.
 * @param expand maps equivalent words to each other; otherwise all map to the first
 */
export function parseSolrRules(lines: readonly string[], expand: boolean, analyze: PhraseAnalyzer, builder: SynonymMapBuilder): void {
  lines.forEach((line, i) => {
    if (line === '' || line.startsWith('#')) return;
    const side = (text: string): Phrase[] =>
      splitRule(text, ',')
        .map((part) => analyze(javaTrim(unescapeSide(part))))
        .filter((phrase) => phrase !== null);
    const sides = splitRule(line, '=>');
    if (sides.length > 2) throw invalid(i + 1, 'more than one explicit mapping specified on the same line');
    const inputs = side(sides[0]);
    if (sides.length === 2) {
      const outputs = side(sides[1]);
      for (const input of inputs) for (const output of outputs) builder.add(input, output, false);
      return;
    }
    if (!expand) {
      for (const input of inputs) builder.add(input, inputs[0], false);
      return;
    }
    inputs.forEach((input, a) => {
      inputs.forEach((output, b) => {
        if (a !== b) builder.add(input, output, true);
      });
    });
  });
}

function splitRule(text: string, separator: string): string[] {
  const out: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; ) {
    if (text.startsWith(separator, i)) {
      if (part) out.push(part);
      part = '';
      i += separator.length;
    } else if (text[i] === '\\') {
      part += text.slice(i, i + 2);
      i += 2;
    } else part += text[i++];
  }
  if (part) out.push(part);
  return out;
}

function unescapeSide(text: string): string {
  return text.replace(/\\([\s\S])/g, '$1');
}

/** Parses lines `s(synset_id,word,'text',type,...).`; the words of a synset are on consecutive lines. */
export function parseWordNetRules(lines: readonly string[], expand: boolean, analyze: PhraseAnalyzer, builder: SynonymMapBuilder): void {
  let set = '';
  let phrases: Phrase[] = [];
  const flush = (): void => {
    if (phrases.length > 1) {
      if (expand) {
        phrases.forEach((input, a) => {
          phrases.forEach((output, b) => {
            if (a !== b) builder.add(input, output, true);
          });
        });
      } else for (const input of phrases) builder.add(input, phrases[0], false);
    }
    phrases = [];
  };
  lines.forEach((line, i) => {
    if (line.trim() === '') return;
    const id = line.slice(2, 11);
    const start = line.indexOf("'") + 1;
    const end = line.lastIndexOf("'");
    if (id.length < 9 || start <= 0 || end < start) throw invalid(i + 1, line);
    if (id !== set) flush();
    set = id;
    const phrase = analyze(line.slice(start, end).replaceAll("''", "'"));
    if (phrase) phrases.push(phrase);
  });
  flush();
}
