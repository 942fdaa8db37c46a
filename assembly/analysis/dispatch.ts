// From a stage's id to its function: the one list of all tokenizers and token filters.
import { E_CORRUPT } from '../mem/status';
import { cjkBigramNext } from './filters/combine/cjk-bigram';
import { commonGramsNext, gramsOnlyNext } from './filters/combine/common-grams';
import { fingerprintNext } from './filters/combine/fingerprint';
import { flattenNext } from './filters/combine/flatten-graph';
import { minHashNext } from './filters/combine/min-hash';
import { shingleNext } from './filters/combine/shingle';
import { synonymNext } from './filters/combine/synonym';
import { decompoundNext } from './filters/expand/decompound';
import { hostTermsNext } from './filters/expand/host-terms';
import { ngramNext } from './filters/expand/ngram';
import { repeatNext } from './filters/expand/repeat';
import { wordDelimiterNext } from './filters/expand/word-delimiter';
import { conditionNext, inputNext, predicateFilter } from './filters/nested/condition';
import { multiplexerNext, selectNext } from './filters/nested/multiplexer';
import { caseFilter } from './filters/rewrite/case';
import { delimitedFilter } from './filters/rewrite/delimited';
import { asciiFoldingFilter } from './filters/rewrite/folding';
import { normalizeFilter } from './filters/rewrite/normalize';
import { stemFilter } from './filters/rewrite/stem';
import { apostropheFilter, classicFilter, elisionFilter, reverseFilter, trimFilter, truncateFilter } from './filters/rewrite/term-edit';
import { keepFilter, keepTypesFilter, keywordMarkerFilter, lengthFilter, limitFilter, stemmerOverrideFilter } from './filters/select/select';
import { stopFilter, trailingStopNext } from './filters/select/stop';
import { uniqueFilter } from './filters/select/unique';
import { Chain, Stage } from './stage';
import * as ID from './stage-ids';
import { charClassNext } from './tokenizers/char-class';
import { classicNext } from './tokenizers/classic';
import { keywordNext } from './tokenizers/keyword';
import { ngramTokenizerNext } from './tokenizers/ngram';
import { pathNext } from './tokenizers/path';
import { replayNext } from './tokenizers/replay';
import { standardNext } from './tokenizers/standard';
import { thaiNext } from './tokenizers/thai';
import { urlEmailNext } from './tokenizers/url-email';

/** Fills the batch of a producer. Returns the number of tokens, 0 at the end, or a status below 0. */
export function produce(chain: Chain, stage: Stage): i32 {
  switch (stage.id) {
    case ID.S_STANDARD: return standardNext(chain, stage);
    case ID.S_CHAR_CLASS: return charClassNext(chain, stage);
    case ID.S_KEYWORD: return keywordNext(chain, stage);
    case ID.S_REPLAY: return replayNext(chain, stage);
    case ID.S_CLASSIC: return classicNext(chain, stage);
    case ID.S_URL_EMAIL: return urlEmailNext(chain, stage);
    case ID.S_NGRAM_TOKENIZER: return ngramTokenizerNext(chain, stage);
    case ID.S_INPUT: return inputNext(chain, stage);
    case ID.S_SELECT: return selectNext(chain, stage);
    case ID.S_THAI: return thaiNext(chain, stage);
    case ID.S_PATH: return pathNext(chain, stage);
    case ID.S_CJK_BIGRAM: return cjkBigramNext(chain, stage);
    case ID.S_NGRAM: return ngramNext(chain, stage);
    case ID.S_SHINGLE: return shingleNext(chain, stage);
    case ID.S_SYNONYM: return synonymNext(chain, stage);
    case ID.S_FLATTEN: return flattenNext(chain, stage);
    case ID.S_WORD_DELIMITER: return wordDelimiterNext(chain, stage);
    case ID.S_COMMON_GRAMS: return commonGramsNext(chain, stage);
    case ID.S_GRAMS_ONLY: return gramsOnlyNext(chain, stage);
    case ID.S_FINGERPRINT: return fingerprintNext(chain, stage);
    case ID.S_MIN_HASH: return minHashNext(chain, stage);
    case ID.S_DECOMPOUND: return decompoundNext(chain, stage);
    case ID.S_KEYWORD_REPEAT:
    case ID.S_FOLDING_AND_ORIGINAL: return repeatNext(chain, stage);
    case ID.S_TRAILING_STOP: return trailingStopNext(chain, stage);
    case ID.S_CONDITION: return conditionNext(chain, stage);
    case ID.S_HOST_TERMS: return hostTermsNext(chain, stage);
    case ID.S_MULTIPLEXER: return multiplexerNext(chain, stage);
    default: return E_CORRUPT;
  }
}

/** Runs an in-place filter over a batch. Returns 0 or a status below 0. */
export function transform(stage: Stage, batch: Stage): i32 {
  switch (stage.id) {
    case ID.S_CASE: return caseFilter(stage, batch);
    case ID.S_STOP: return stopFilter(stage, batch);
    case ID.S_FOLDING: return asciiFoldingFilter(stage, batch);
    case ID.S_UNIQUE: return uniqueFilter(stage, batch);
    case ID.S_NORMALIZE: return normalizeFilter(stage, batch);
    case ID.S_APOSTROPHE: return apostropheFilter(stage, batch);
    case ID.S_ELISION: return elisionFilter(stage, batch);
    case ID.S_CLASSIC_FILTER: return classicFilter(stage, batch);
    case ID.S_REVERSE: return reverseFilter(stage, batch);
    case ID.S_TRIM: return trimFilter(stage, batch);
    case ID.S_TRUNCATE: return truncateFilter(stage, batch);
    case ID.S_KEEP: return keepFilter(stage, batch);
    case ID.S_KEEP_TYPES: return keepTypesFilter(stage, batch);
    case ID.S_LENGTH: return lengthFilter(stage, batch);
    case ID.S_LIMIT: return limitFilter(stage, batch);
    case ID.S_KEYWORD_MARKER: return keywordMarkerFilter(stage, batch);
    case ID.S_STEMMER_OVERRIDE: return stemmerOverrideFilter(stage, batch);
    case ID.S_DELIMITED: return delimitedFilter(stage, batch);
    case ID.S_PREDICATE: return predicateFilter(stage, batch);
    case ID.S_STEM: return stemFilter(stage, batch);
    default: return E_CORRUPT;
  }
}
