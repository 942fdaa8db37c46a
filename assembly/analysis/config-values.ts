// Values in the configs of stages, shared with the host: which algorithm or variant a stage runs, and its flags.

/** Algorithm of the stem stage. */
export namespace Stemmer {
  export const PORTER: u32 = 0;
  export const ENGLISH_POSSESSIVE: u32 = 1;
  export const LIGHT_GERMAN: u32 = 2;
  export const LIGHT_FRENCH: u32 = 3;
  export const LIGHT_ITALIAN: u32 = 4;
  export const LIGHT_PORTUGUESE: u32 = 5;
  export const LIGHT_SPANISH: u32 = 6;
  export const CZECH: u32 = 7;
  export const BULGARIAN: u32 = 8;
  export const ARABIC: u32 = 9;
  export const PERSIAN: u32 = 10;
  export const SORANI: u32 = 11;
  export const HINDI: u32 = 12;
  export const PORTER2: u32 = 13;
  export const DANISH: u32 = 14;
  export const NORWEGIAN: u32 = 15;
  export const SWEDISH: u32 = 16;
  export const RUSSIAN: u32 = 17;
  export const LIGHT_RUSSIAN: u32 = 18;
  export const PORTER_PUBLISHED: u32 = 19;
  export const INDONESIAN: u32 = 20;
  export const LATVIAN: u32 = 21;
  export const CAUMANNS: u32 = 22;
  export const MINIMAL_ENGLISH: u32 = 23;
  export const MINIMAL_GERMAN: u32 = 24;
  export const FRENCH: u32 = 25;
  export const DUTCH: u32 = 31;
  export const FINNISH: u32 = 32;
  export const HUNGARIAN: u32 = 33;
  export const ESTONIAN: u32 = 34;
  export const BRAZILIAN: u32 = 45;
  export const CATALAN: u32 = 46;
  export const ROMANIAN: u32 = 47;
  export const BASQUE: u32 = 48;
  export const GALICIAN: u32 = 49;
  export const MINIMAL_GALICIAN: u32 = 50;
  export const GREEK: u32 = 60;
  export const BENGALI: u32 = 61;
  export const IRISH: u32 = 62;
  export const ARMENIAN: u32 = 63;
  export const LITHUANIAN: u32 = 64;
  export const TURKISH: u32 = 70;
  export const GERMAN: u32 = 71;
  export const SPANISH: u32 = 72;
  export const ITALIAN: u32 = 73;
  export const PORTUGUESE: u32 = 74;
  export const SERBIAN: u32 = 75;
  export const ARABIC_SNOWBALL: u32 = 76;
  export const HINDI_SNOWBALL: u32 = 77;
  export const INDONESIAN_SNOWBALL: u32 = 78;
  export const NEPALI: u32 = 79;
  export const TAMIL: u32 = 80;
  export const YIDDISH: u32 = 81;
  export const GREEK_SNOWBALL: u32 = 82;
  export const LIGHT_FINNISH: u32 = 100;
  export const LIGHT_HUNGARIAN: u32 = 101;
  export const LIGHT_SWEDISH: u32 = 102;
  export const LIGHT_NORWEGIAN: u32 = 103;
  export const LIGHT_NYNORSK: u32 = 104;
  export const MINIMAL_NORWEGIAN: u32 = 105;
  export const MINIMAL_NYNORSK: u32 = 106;
  export const MINIMAL_FRENCH: u32 = 107;
  export const MINIMAL_PORTUGUESE: u32 = 108;
  export const PORTUGUESE_RSLP: u32 = 109;
  export const PLURAL_ENGLISH: u32 = 110;
  export const KSTEM: u32 = 111;
  export const SPANISH_PLURAL: u32 = 112;
}

/** Variant of the normalize stage. */
export namespace Normalization {
  export const ARABIC: u32 = 0;
  export const PERSIAN: u32 = 1;
  export const SORANI: u32 = 2;
  export const GERMAN: u32 = 3;
  export const SCANDINAVIAN: u32 = 4;
  export const SCANDINAVIAN_FOLDING: u32 = 5;
  export const SERBIAN: u32 = 6;
  export const HINDI: u32 = 7;
  export const BENGALI: u32 = 8;
  export const INDIC: u32 = 9;
  export const DECIMAL_DIGIT: u32 = 10;
  export const CJK_WIDTH: u32 = 11;
}

/** Variant of the case stage. */
export namespace CaseVariant {
  export const LOWER: u32 = 0;
  export const UPPER: u32 = 1;
  export const GREEK: u32 = 2;
  export const TURKISH: u32 = 3;
  export const IRISH: u32 = 4;
}

/** Operations of the stem stage: one of these plus the id of a stemmer or variant. */
export namespace RewriteOp {
  export const STEM: u32 = 0;
  export const NORMALIZE: u32 = 0x100;
  export const CASE: u32 = 0x200;
  export const STOP: u32 = 0x300;
  export const ELISION: u32 = 0x400;
  export const APOSTROPHE: u32 = 0x500;
  export const KEYWORD_MARKER: u32 = 0x600;
  export const STEMMER_OVERRIDE: u32 = 0x700;
  export const HOST_TERM: u32 = 0x800;
}

/** Flags of RewriteOp.HOST_TERM: terms with an answer become keywords and stay unchanged; terms without one are dropped. */
export namespace HostTermFlag {
  export const MARK: u32 = 1;
  export const DROP_OTHERS: u32 = 2;
}

/** Special tags that html_strip keeps. */
export namespace HtmlEscape {
  export const BR: u32 = 1;
  export const SCRIPT: u32 = 2;
  export const STYLE: u32 = 4;
}

/** First word of configs with a set of terms: terms match in any case, and those in the set are lower-cased. */
export const IGNORE_CASE: u32 = 1;

/** Flag of the host-terms stage: keywords stay unchanged. */
export const KEEP_KEYWORDS: u32 = 1;

/** Kinds of the char-class stage: tokens consist of letters, of letters in lower case, of everything but white space, of everything not listed. */
export namespace CharKind {
  export const LETTER: u32 = 0;
  export const LOWERCASE: u32 = 1;
  export const WHITESPACE: u32 = 2;
  export const NOT_LISTED: u32 = 3;
}

/** Flags of the standard tokenizer; described in `assembly/analysis/tokenizers/standard.ts`. */
export namespace StandardFlag {
  export const LOWER: u32 = 1;
  export const NON_JOINER: u32 = 2;
  export const STOP_BEFORE_CJK: u32 = 4;
}

/** Flags of the CJK bigram stage: scripts, also unigrams, read the text directly (cjk-run.ts), and its ASCII words. */
export namespace BigramFlag {
  export const HAN: u32 = 1;
  export const HIRAGANA: u32 = 2;
  export const KATAKANA: u32 = 4;
  export const HANGUL: u32 = 8;
  export const ALL_SCRIPTS: u32 = 15;
  export const UNIGRAMS: u32 = 16;
  export const FROM_TEXT: u32 = 32;
  export const ASCII_WORDS: u32 = 64;
}

/** Mode of the unique stage. */
export const ONLY_ON_SAME_POSITION: u32 = 1;
