// Ids of stages in chain blobs, shared with the host. Their ranges distinguish character filters, producers and in-place filters.
export const FIRST_TEXT_FILTER: u32 = 32;
export const FIRST_STREAM_FILTER: u32 = 64;
export const FIRST_FILTER: u32 = 128;

export namespace StageId {
  // Producers: tokenizers, and the first stages of inner chains.
  export const REPLAY: u32 = 1;
  export const STANDARD: u32 = 2;
  export const CHAR_CLASS: u32 = 3;
  export const KEYWORD: u32 = 4;
  export const CLASSIC: u32 = 5;
  export const URL_EMAIL: u32 = 6;
  export const NGRAM_TOKENIZER: u32 = 7;
  export const THAI: u32 = 8;
  export const PATH: u32 = 9;
  export const INPUT: u32 = 20;
  export const SELECT: u32 = 21;

  // Character filters; they precede the tokenizer.
  export const MAPPING: u32 = 32;
  export const HTML_STRIP: u32 = 33;

  // Token filters with a batch of their own.
  export const CJK_BIGRAM: u32 = 64;
  export const NGRAM: u32 = 65;
  export const SHINGLE: u32 = 66;
  export const SYNONYM: u32 = 67;
  export const FLATTEN: u32 = 68;
  export const WORD_DELIMITER: u32 = 69;
  export const COMMON_GRAMS: u32 = 70;
  export const GRAMS_ONLY: u32 = 71;
  export const FINGERPRINT: u32 = 72;
  export const MIN_HASH: u32 = 73;
  export const MULTIPLEXER: u32 = 74;
  export const DECOMPOUND: u32 = 75;
  export const KEYWORD_REPEAT: u32 = 76;
  export const FOLDING_AND_ORIGINAL: u32 = 77;
  export const TRAILING_STOP: u32 = 78;
  export const HOST_TERMS: u32 = 90;
  export const CONDITION: u32 = 91;

  // Token filters that change a batch in place.
  export const CASE: u32 = 128;
  export const STOP: u32 = 129;
  export const FOLDING: u32 = 130;
  export const UNIQUE: u32 = 131;
  export const NORMALIZE: u32 = 132;
  export const APOSTROPHE: u32 = 133;
  export const ELISION: u32 = 134;
  export const CLASSIC_FILTER: u32 = 135;
  export const REVERSE: u32 = 136;
  export const TRIM: u32 = 137;
  export const TRUNCATE: u32 = 138;
  export const KEEP: u32 = 139;
  export const KEEP_TYPES: u32 = 140;
  export const LENGTH: u32 = 141;
  export const LIMIT: u32 = 142;
  export const KEYWORD_MARKER: u32 = 144;
  export const STEMMER_OVERRIDE: u32 = 145;
  export const DELIMITED: u32 = 146;
  export const PREDICATE: u32 = 159;
  export const STEM: u32 = 160;
}
