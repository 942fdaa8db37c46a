// The program of a chain as the host writes it (src/analysis/blob.ts): its head, and the configs of stages that consist of several numbers
// (`recordBytes`). What follows the numbers is drawn at each class. Configs of one number or of a table alone are described where they are read.

/** Head of a chain's blob; then a ChainEntry for each stage, and the configs (8-byte aligned). */
// @ts-ignore: decorator
@unmanaged
export class ChainHeader {
  stageCount: u32;
  /** 1: the chain returns one token at a time (stage.ts). */
  isStepped: u32;
}

/** Offsets are from the blob. */
// @ts-ignore: decorator
@unmanaged
export class ChainEntry {
  /** StageId */
  id: u32;
  configOff: u32;
  configBytes: u32;
  reserved: u32;
}

/** html_strip; then what the offsets, which are from the config, point to (char-filters/html-strip.ts). */
// @ts-ignore: decorator
@unmanaged
export class HtmlStripConfig {
  /** Sets of tags. */
  inlineTagsOff: u32;
  escapedTagsOff: u32;
  /** Map from entities to units. */
  entitiesOff: u32;
  /** HtmlEscape */
  escaped: u32;
  /** Machines in the order of HtmlMachine. */
  tailOff: u32;
  nameOff: u32;
  brOff: u32;
  scriptOff: u32;
  styleOff: u32;
  instructionOff: u32;
  classesOff: u32;
}

/** Operation of the stem stage: a RewriteOp plus an id. Those with data are followed by the number of its bytes, and by the data. */
// @ts-ignore: decorator
@unmanaged
export class OperationHead {
  op: u32;
  dataBytes: u32;
}

/** Data of RewriteOp.HOST_TERM. */
// @ts-ignore: decorator
@unmanaged
export class HostTermData {
  /** Number of the host's function. */
  call: u32;
  /** HostTermFlag */
  flags: u32;
}

/** Head of a word list (stemmers/other/lexicon.ts); then u32 blockOff[blockCount + 1], blocks, and the roots. Offsets are from the list. */
// @ts-ignore: decorator
@unmanaged
export class LexiconHeader {
  /** Term map. */
  rootsOff: u32;
  blockCount: u32;
}

/** Head of a set of terms or a map (term-set.ts); then u32 slots[mask + 1]. */
// @ts-ignore: decorator
@unmanaged
export class TermSetHeader {
  mask: u32;
  /** Bytes of the longest term. */
  longestTerm: u32;
}

/** Entry of a set or map; then the bytes of the term. */
// @ts-ignore: decorator
@unmanaged
export class TermSetEntry {
  value: u32;
  termBytes: u32;
}

/** ngram filter. */
// @ts-ignore: decorator
@unmanaged
export class NgramConfig {
  min: u32;
  max: u32;
  /** NgramFlag */
  flags: u32;
}

export namespace NgramFlag {
  /** Only grams from the start of the term. */
  export const EDGE: u32 = 1;
  /** Emits terms that are shorter or longer than the grams, too. */
  export const PRESERVE: u32 = 2;
}

/** ngram tokenizer; then u32 codePoints[codePointCount], ascending. */
// @ts-ignore: decorator
@unmanaged
export class NgramTokenizerConfig {
  min: u32;
  max: u32;
  /** NgramTokenizerFlag */
  flags: u32;
  /** Bit per Unicode category. */
  categories: u32;
  codePointCount: u32;
}

export namespace NgramTokenizerFlag {
  /** Only grams from the start of a run. */
  export const EDGE: u32 = 1;
  /** Every character belongs to tokens. */
  export const ALL: u32 = 2;
  /** White space belongs to tokens. */
  export const WHITESPACE: u32 = 4;
}

/** Tokenizers that cut at character classes; then u32 codePoints[codePointCount] of CharKind's separators. */
// @ts-ignore: decorator
@unmanaged
export class CharClassConfig {
  maxLength: u32;
  /** CharKind */
  kind: u32;
  /** Bits of classes that separate tokens. */
  classes: u32;
  codePointCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class StandardConfig {
  maxLength: u32;
  /** StandardFlag */
  flags: u32;
}

/** Path tokenizer; then the delimiter and the replacement, in four bytes each. The step is the position increment of all tokens but the first. */
// @ts-ignore: decorator
@unmanaged
export class PathConfig {
  isReversed: u32;
  skip: u32;
  step: u32;
  delimiterBytes: u32;
  replacementBytes: u32;
}

/** Thai tokenizer: offsets in the config; thai.ts draws what follows. */
// @ts-ignore: decorator
@unmanaged
export class ThaiConfig {
  trieOff: u32;
  statesOff: u32;
  classCount: u32;
  blocksOff: u32;
}

/** Decompounder; then a bitset of the first 16 bits of words, 8192 bytes, and the words as a term set. */
// @ts-ignore: decorator
@unmanaged
export class DecompoundConfig {
  minWord: u32;
  minPart: u32;
  maxPart: u32;
  isLongestOnly: u32;
}

/** Word delimiter; then u8 type[256], (unit, type) u32 x exceptionCount, and the protected words as a term set. */
// @ts-ignore: decorator
@unmanaged
export class WordDelimiterConfig {
  flags: u32;
  exceptionCount: u32;
}

/** Shingles; then separator and filler. */
// @ts-ignore: decorator
@unmanaged
export class ShingleConfig {
  min: u32;
  max: u32;
  /** ShingleFlag */
  flags: u32;
  separatorBytes: u32;
  fillerBytes: u32;
}

export namespace ShingleFlag {
  export const UNIGRAMS: u32 = 1;
  export const UNIGRAMS_IF_NONE: u32 = 2;
}

/** Fingerprint; then the separator. */
// @ts-ignore: decorator
@unmanaged
export class FingerprintConfig {
  maxBytes: u32;
  separatorBytes: u32;
}

// @ts-ignore: decorator
@unmanaged
export class MinHashConfig {
  hashCount: u32;
  bucketCount: u32;
  hashSetSize: u32;
  withRotation: u32;
}

/** Synonyms; then the map of words and the records (synonym.ts). */
// @ts-ignore: decorator
@unmanaged
export class SynonymConfig {
  isGraph: u32;
  /** Tokens of the longest rule. */
  longest: u32;
}

/** keep_types; then u32 types[typeCount]. */
// @ts-ignore: decorator
@unmanaged
export class KeepTypesConfig {
  isExclusion: u32;
  typeCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class LengthConfig {
  min: u32;
  max: u32;
}

// @ts-ignore: decorator
@unmanaged
export class LimitConfig {
  max: u32;
  consumesAll: u32;
}

/** Terms cut at a delimiter; then the delimiter. */
// @ts-ignore: decorator
@unmanaged
export class DelimitedConfig {
  /** Number of the host's function that encodes what follows the delimiter. */
  call: u32;
  /** 1: it is a frequency; 0: a payload. */
  isFrequency: u32;
  delimiterBytes: u32;
}

/** Terms that a function of the host returns. */
// @ts-ignore: decorator
@unmanaged
export class HostTermsConfig {
  call: u32;
  /** 0 or KEEP_KEYWORDS */
  flags: u32;
}

/** Condition; then the blob of the inner chain. */
// @ts-ignore: decorator
@unmanaged
export class ConditionConfig {
  /** Number of the host's predicate; 0 in a multiplexer. */
  script: u32;
  /** Number of the branch in a multiplexer. */
  turn: u32;
}
