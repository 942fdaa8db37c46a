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
import { StageId } from './stage-ids';
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
    case StageId.STANDARD: return standardNext(chain, stage);
    case StageId.CHAR_CLASS: return charClassNext(chain, stage);
    case StageId.KEYWORD: return keywordNext(chain, stage);
    case StageId.REPLAY: return replayNext(chain, stage);
    case StageId.CLASSIC: return classicNext(chain, stage);
    case StageId.URL_EMAIL: return urlEmailNext(chain, stage);
    case StageId.NGRAM_TOKENIZER: return ngramTokenizerNext(chain, stage);
    case StageId.INPUT: return inputNext(chain, stage);
    case StageId.SELECT: return selectNext(chain, stage);
    case StageId.THAI: return thaiNext(chain, stage);
    case StageId.PATH: return pathNext(chain, stage);
    case StageId.CJK_BIGRAM: return cjkBigramNext(chain, stage);
    case StageId.NGRAM: return ngramNext(chain, stage);
    case StageId.SHINGLE: return shingleNext(chain, stage);
    case StageId.SYNONYM: return synonymNext(chain, stage);
    case StageId.FLATTEN: return flattenNext(chain, stage);
    case StageId.WORD_DELIMITER: return wordDelimiterNext(chain, stage);
    case StageId.COMMON_GRAMS: return commonGramsNext(chain, stage);
    case StageId.GRAMS_ONLY: return gramsOnlyNext(chain, stage);
    case StageId.FINGERPRINT: return fingerprintNext(chain, stage);
    case StageId.MIN_HASH: return minHashNext(chain, stage);
    case StageId.DECOMPOUND: return decompoundNext(chain, stage);
    case StageId.KEYWORD_REPEAT:
    case StageId.FOLDING_AND_ORIGINAL: return repeatNext(chain, stage);
    case StageId.TRAILING_STOP: return trailingStopNext(chain, stage);
    case StageId.CONDITION: return conditionNext(chain, stage);
    case StageId.HOST_TERMS: return hostTermsNext(chain, stage);
    case StageId.MULTIPLEXER: return multiplexerNext(chain, stage);
    default: return E_CORRUPT;
  }
}

/** Runs an in-place filter over a batch. Returns 0 or a status below 0. */
export function transform(stage: Stage, batch: Stage): i32 {
  switch (stage.id) {
    case StageId.CASE: return caseFilter(stage, batch);
    case StageId.STOP: return stopFilter(stage, batch);
    case StageId.FOLDING: return asciiFoldingFilter(stage, batch);
    case StageId.UNIQUE: return uniqueFilter(stage, batch);
    case StageId.NORMALIZE: return normalizeFilter(stage, batch);
    case StageId.APOSTROPHE: return apostropheFilter(stage, batch);
    case StageId.ELISION: return elisionFilter(stage, batch);
    case StageId.CLASSIC_FILTER: return classicFilter(stage, batch);
    case StageId.REVERSE: return reverseFilter(stage, batch);
    case StageId.TRIM: return trimFilter(stage, batch);
    case StageId.TRUNCATE: return truncateFilter(stage, batch);
    case StageId.KEEP: return keepFilter(stage, batch);
    case StageId.KEEP_TYPES: return keepTypesFilter(stage, batch);
    case StageId.LENGTH: return lengthFilter(stage, batch);
    case StageId.LIMIT: return limitFilter(stage, batch);
    case StageId.KEYWORD_MARKER: return keywordMarkerFilter(stage, batch);
    case StageId.STEMMER_OVERRIDE: return stemmerOverrideFilter(stage, batch);
    case StageId.DELIMITED: return delimitedFilter(stage, batch);
    case StageId.PREDICATE: return predicateFilter(stage, batch);
    case StageId.STEM: return stemFilter(stage, batch);
    default: return E_CORRUPT;
  }
}
