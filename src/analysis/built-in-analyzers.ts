// Language-independent analyzers: standard, simple, whitespace, stop, keyword, fingerprint, pattern.

import { compilePattern } from '../regex/java-flags.ts';
import { CaseVariant, CharKind, StageId } from '../wasm/generated/analysis.ts';
import { words } from './blob.ts';
import { type AnalyzerEntry, type AnalyzerParts, type BuildContext, kernelFilter, type TokenFilter } from './component.ts';
import { fingerprintFilter } from './filters/fingerprint.ts';
import { stopStage } from './filters/kernel-filters.ts';
import { englishStopWords } from './languages/stop-words.ts';
import { analyzerStopWords, type WordSet } from './languages/word-lists.ts';
import { charClassTokenizer, kernelTokenizer, standardMaxLength, standardTokenizer } from './tokenizers/kernel-tokenizers.ts';
import { patternTokenizer } from './tokenizers/pattern.ts';

const STOP_PARAMS = ['stopwords: list', 'stopwords_path: string', 'stopwords_case: bool = false'];
const CLASSIC_MAX_LENGTH = 255;
const LOWERCASE: TokenFilter = kernelFilter(StageId.CASE, words([CaseVariant.LOWER]));
const FOLDING: TokenFilter = kernelFilter(StageId.FOLDING, new Uint8Array(0));

/** A stop filter, unless its list is empty. */
export function stopUnlessEmpty({ words: stop, ignoreCase }: WordSet): TokenFilter[] {
  return stop.length ? [stopStage(stop, ignoreCase)] : [];
}

function makeEntry(
  type: string,
  params: readonly string[],
  make: (context: BuildContext) => () => Omit<AnalyzerParts, 'positionIncrementGap' | 'charFilters'>,
): AnalyzerEntry {
  return {
    type,
    params,
    build(context) {
      const create = make(context);
      return () => ({ charFilters: [], ...create() });
    },
  };
}

function standard(context: BuildContext) {
  const length = standardMaxLength(context.settings);
  const stop = analyzerStopWords(context, []);
  return () => ({ tokenizer: standardTokenizer(length()), filters: [LOWERCASE, ...stopUnlessEmpty(stop)] });
}

export const BUILT_IN_ANALYZERS: readonly AnalyzerEntry[] = [
  makeEntry('standard', ['max_token_length: int = 255', ...STOP_PARAMS], standard),
  makeEntry('default', ['max_token_length: int = 255', ...STOP_PARAMS], standard),
  // Without parameters, as in the recorded server.
  makeEntry('chinese', [], () => () => ({
    tokenizer: standardTokenizer(),
    filters: [LOWERCASE, stopStage(englishStopWords(), false)],
  })),
  // Only by its name: no definition can have this type.
  makeEntry('classic', [], () => () => ({
    tokenizer: kernelTokenizer(StageId.CLASSIC, words([CLASSIC_MAX_LENGTH])),
    filters: [kernelFilter(StageId.CLASSIC_FILTER, words([])), LOWERCASE, stopStage(englishStopWords(), false)],
  })),
  makeEntry('simple', [], () => () => ({ tokenizer: charClassTokenizer(CharKind.LOWERCASE), filters: [] })),
  makeEntry('whitespace', [], () => () => ({ tokenizer: charClassTokenizer(CharKind.WHITESPACE), filters: [] })),
  makeEntry('keyword', [], () => () => ({ tokenizer: kernelTokenizer(StageId.KEYWORD, words([])), filters: [] })),
  makeEntry('stop', STOP_PARAMS, (context) => {
    const stop = analyzerStopWords(context, englishStopWords());
    return () => ({ tokenizer: charClassTokenizer(CharKind.LOWERCASE), filters: stopUnlessEmpty(stop) });
  }),
  makeEntry('fingerprint', ['separator: char = " "', 'max_output_size: int = 255', ...STOP_PARAMS], (context) => {
    const { settings } = context;
    const separator = settings.char('separator', ' ');
    const maxSize = settings.int('max_output_size', 255);
    const stop = analyzerStopWords(context, []);
    return () => ({
      tokenizer: standardTokenizer(),
      filters: [LOWERCASE, FOLDING, ...stopUnlessEmpty(stop), fingerprintFilter(separator, maxSize)],
    });
  }),
  makeEntry('pattern', ['pattern: string = \\W+', 'flags: string', 'lowercase: bool = true', ...STOP_PARAMS], (context) => {
    const { settings } = context;
    const pattern = compilePattern(settings.get('pattern', '\\W+'), settings.get('flags'));
    const lower = settings.bool('lowercase', true);
    const stop = analyzerStopWords(context, []);
    return () => ({ tokenizer: patternTokenizer(pattern, -1), filters: [...(lower ? [LOWERCASE] : []), ...stopUnlessEmpty(stop)] });
  }),
];
