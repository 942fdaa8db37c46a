// Stage ids as they stand in chain blobs; src/analysis/stage-ids.ts has the same numbers. Producers are below 128, in-place filters above.
export const S_REPLAY: u32 = 1;
export const S_STANDARD: u32 = 2;
export const S_CHAR_CLASS: u32 = 3;
export const S_KEYWORD: u32 = 4;

export const S_CLASSIC: u32 = 5;
export const S_URL_EMAIL: u32 = 6;
export const S_NGRAM_TOKENIZER: u32 = 7;
export const S_THAI: u32 = 8;
export const S_PATH: u32 = 9;
export const S_INPUT: u32 = 20;
export const S_SELECT: u32 = 21;

/** Character filters: before the tokenizer, of which a chain has one. */
export const FIRST_TEXT_FILTER: u32 = 32;
export const S_MAPPING: u32 = 32;
export const S_HTML_STRIP: u32 = 33;
export const FIRST_STREAM_FILTER: u32 = 64;

export const S_CJK_BIGRAM: u32 = 64;
export const S_NGRAM: u32 = 65;
export const S_SHINGLE: u32 = 66;
export const S_SYNONYM: u32 = 67;
export const S_FLATTEN: u32 = 68;
export const S_WORD_DELIMITER: u32 = 69;
export const S_COMMON_GRAMS: u32 = 70;
export const S_GRAMS_ONLY: u32 = 71;
export const S_FINGERPRINT: u32 = 72;
export const S_MIN_HASH: u32 = 73;
export const S_MULTIPLEXER: u32 = 74;
export const S_DECOMPOUND: u32 = 75;
export const S_KEYWORD_REPEAT: u32 = 76;
export const S_FOLDING_AND_ORIGINAL: u32 = 77;
export const S_TRAILING_STOP: u32 = 78;
export const S_HOST_TERMS: u32 = 90;
export const S_CONDITION: u32 = 91;

export const FIRST_FILTER: u32 = 128;
export const S_CASE: u32 = 128;
export const S_STOP: u32 = 129;
export const S_FOLDING: u32 = 130;
export const S_UNIQUE: u32 = 131;
export const S_NORMALIZE: u32 = 132;
export const S_APOSTROPHE: u32 = 133;
export const S_ELISION: u32 = 134;
export const S_CLASSIC_FILTER: u32 = 135;
export const S_REVERSE: u32 = 136;
export const S_TRIM: u32 = 137;
export const S_TRUNCATE: u32 = 138;
export const S_KEEP: u32 = 139;
export const S_KEEP_TYPES: u32 = 140;
export const S_LENGTH: u32 = 141;
export const S_LIMIT: u32 = 142;
export const S_KEYWORD_MARKER: u32 = 144;
export const S_STEMMER_OVERRIDE: u32 = 145;
export const S_DELIMITED: u32 = 146;
export const S_PREDICATE: u32 = 159;
export const S_STEM: u32 = 160;
