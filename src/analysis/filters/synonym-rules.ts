// Parses synonym rules in the Solr and WordNet formats to a trie over words.
import { javaTrim } from '../../common/text/java-text.ts';
import type { SlicedWork } from '../../common/turns/sliced-work.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Limits the mappings of rules, since n equivalent words make n * n of them. */
const MAX_OUTPUTS = 5_000_000;
const RULES_PER_STEP_MASK = 63;

/** Words of one side of a rule. */
export type Phrase = readonly string[];

/** A node of the trie of left sides. */
export interface SynonymNode {
  readonly next: Map<string, SynonymNode>;
  /** Outputs by their words; null if no rule ends here. */
  outputs: Map<string, Phrase> | null;
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
  #outputs = 0;

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
    node.outputs ??= new Map();
    node.keepOriginal ||= keepOriginal;
    const key = output.join('\0');
    if (node.outputs.has(key)) return;
    if (++this.#outputs > MAX_OUTPUTS)
      throw new ApiError('illegal_argument_exception', 400, `more than [${MAX_OUTPUTS}] replacements of words`);
    node.outputs.set(key, output);
  }

  build(): SynonymMap {
    return { root: this.#root, isEmpty: !this.#root.next.size };
  }
}

function newNode(): SynonymNode {
  return { next: new Map(), outputs: null, keepOriginal: false };
}

/** An invalid rule. Users do not see the line, since the service reports "Failed to build synonyms". */
function invalidRuleError(line: number, reason: string): ApiError {
  return new ApiError('parse_exception', 400, `Invalid synonym rule at line ${line}: ${reason}`);
}

/**
 * Parses `a, b => c` and `a, b, c`; `\` escapes a character. Comments start with #.
 * @param expand maps equivalent words to each other; otherwise all map to the first
 */
export function* parseSolrRules(
  lines: readonly string[],
  expand: boolean,
  analyze: PhraseAnalyzer,
  builder: SynonymMapBuilder,
): SlicedWork<void> {
  for (const [i, line] of lines.entries()) {
    if ((i & RULES_PER_STEP_MASK) === RULES_PER_STEP_MASK) yield;
    if (line === '' || line.startsWith('#')) continue;
    const side = (text: string): Phrase[] =>
      splitRule(text, ',')
        .map((part) => analyze(javaTrim(unescapeSide(part))))
        .filter((phrase) => phrase !== null);
    const sides = splitRule(line, '=>');
    if (sides.length > 2) throw invalidRuleError(i + 1, 'more than one explicit mapping specified on the same line');
    const inputs = side(sides[0]);
    if (sides.length === 2) {
      const outputs = side(sides[1]);
      for (const input of inputs) for (const output of outputs) builder.add(input, output, false);
      continue;
    }
    if (!expand) {
      for (const input of inputs) builder.add(input, inputs[0], false);
      continue;
    }
    yield* addEquivalents(inputs, builder);
  }
}

/** Maps each phrase to all others. */
function* addEquivalents(phrases: readonly Phrase[], builder: SynonymMapBuilder): SlicedWork<void> {
  for (const [a, input] of phrases.entries()) {
    if ((a & RULES_PER_STEP_MASK) === RULES_PER_STEP_MASK) yield;
    for (const [b, output] of phrases.entries()) if (a !== b) builder.add(input, output, true);
  }
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
export function* parseWordNetRules(
  lines: readonly string[],
  expand: boolean,
  analyze: PhraseAnalyzer,
  builder: SynonymMapBuilder,
): SlicedWork<void> {
  let set = '';
  let phrases: Phrase[] = [];
  const flush = function* (): SlicedWork<void> {
    if (phrases.length > 1) {
      if (expand) yield* addEquivalents(phrases, builder);
      else for (const input of phrases) builder.add(input, phrases[0], false);
    }
    phrases = [];
  };
  for (const [i, line] of lines.entries()) {
    if ((i & RULES_PER_STEP_MASK) === RULES_PER_STEP_MASK) yield;
    if (line.trim() === '') continue;
    const id = line.slice(2, 11);
    const start = line.indexOf("'") + 1;
    const end = line.lastIndexOf("'");
    if (id.length < 9 || start <= 0 || end < start) throw invalidRuleError(i + 1, line);
    if (id !== set) yield* flush();
    set = id;
    const phrase = analyze(line.slice(start, end).replaceAll("''", "'"));
    if (phrase) phrases.push(phrase);
  }
  yield* flush();
}
