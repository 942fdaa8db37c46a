// Optimizes chains of kernel stages before they are encoded, without changing their tokens.
import {
  BigramFlag,
  CaseVariant,
  CharClassConfig,
  CharKind,
  IGNORE_CASE,
  Normalization,
  OperationHead,
  RewriteOp,
  StageId,
  StandardConfig,
  StandardFlag,
  Stemmer,
} from '../wasm/generated/analysis.ts';
import { joinConfigs, type KernelStage, recordBytes, words } from './blob.ts';

/** Whether a stage sets or clears the payloads of tokens: mode 0 of the delimited stage (filters/payload.ts). */
export function givesPayloads({ id, config }: KernelStage): boolean {
  return id === StageId.DELIMITED && config[4] === 0;
}

/** Replaces stages by faster equivalents: merges rewrites, lower-cases in tokenizers that can, and reads CJK bigrams from the text. */
export function fuse(stages: readonly KernelStage[]): KernelStage[] {
  return mergeRewrites(bigramsFromText(lowerInTokenizer(stages)));
}

/** Operations of the stem stage (assembly/analysis/filters/rewrite/stem.ts) equivalent to a stage, and whether they are followed by its config. */
const REWRITE_OPS: Readonly<Record<number, { op: number; data: boolean }>> = {
  [StageId.STEM]: { op: RewriteOp.STEM, data: false },
  [StageId.NORMALIZE]: { op: RewriteOp.NORMALIZE, data: false },
  [StageId.CASE]: { op: RewriteOp.CASE, data: false },
  [StageId.STOP]: { op: RewriteOp.STOP, data: true },
  [StageId.ELISION]: { op: RewriteOp.ELISION, data: true },
  [StageId.APOSTROPHE]: { op: RewriteOp.APOSTROPHE, data: false },
  [StageId.KEYWORD_MARKER]: { op: RewriteOp.KEYWORD_MARKER, data: true },
  [StageId.STEMMER_OVERRIDE]: { op: RewriteOp.STEMMER_OVERRIDE, data: true },
};

/** Merges consecutive filters whose result depends on the term alone into one stage, which caches results by term. */
export function mergeRewrites(stages: readonly KernelStage[]): KernelStage[] {
  const out: KernelStage[] = [];
  let run: KernelStage[] = [];
  const flush = (): void => {
    // A single list is as fast as the cache.
    if (run.length > 1) out.push({ id: StageId.STEM, config: joinConfigs(run.map(makeOperation)) });
    else out.push(...run);
    run = [];
  };
  for (const stage of stages) {
    if (stage.id in REWRITE_OPS) run.push(stage);
    else {
      flush();
      out.push(stage);
    }
  }
  flush();
  return out;
}

/** A stage's config as an operation of the stem stage. */
function makeOperation({ id, config }: KernelStage): Uint8Array {
  const { op, data } = REWRITE_OPS[id];
  if (data) {
    const padded = joinConfigs([config, new Uint8Array(-config.length & 3)]);
    return recordBytes(OperationHead, { op, dataBytes: padded.length }, padded);
  }
  // The id of a stemmer or variant, and its data.
  return config.length ? words([op + config[0] + (config[1] << 8)], config.subarray(4)) : words([op]);
}

/** ASCII words must be shorter than this to bypass the tokenizer. */
const SHORT_WORD = 16;

/**
 * CJK bigrams of all scripts after the standard tokenizer can read ideographs and kana from the text if the filters between do not change them, and
 * short ASCII words if the tokenizer puts them in lower case and nothing else changes them.
 */
function bigramsFromText(stages: readonly KernelStage[]): readonly KernelStage[] {
  const at = stages.findIndex(({ id }) => id === StageId.CJK_BIGRAM);
  const isWidth = ({ id, config }: KernelStage): boolean => id === StageId.NORMALIZE && config[0] === Normalization.CJK_WIDTH;
  if (at < 0 || stages[0].id !== StageId.STANDARD || stages[at].config[0] !== BigramFlag.ALL_SCRIPTS) return stages;
  const between = stages.slice(1, at);
  if (!between.every((stage) => stage.id === StageId.CASE || isWidth(stage))) return stages;
  const config = new DataView(stages[0].config.buffer, stages[0].config.byteOffset);
  const maxLength = config.getUint32(StandardConfig.maxLength, true);
  const flags = config.getUint32(StandardConfig.flags, true);
  const isWords = (flags & StandardFlag.LOWER) !== 0 && between.every(isWidth) && maxLength >= SHORT_WORD;
  const tokenizer = {
    id: StageId.STANDARD,
    config: recordBytes(StandardConfig, { maxLength, flags: flags | StandardFlag.STOP_BEFORE_CJK }),
  };
  const bigrams = {
    id: StageId.CJK_BIGRAM,
    config: words([BigramFlag.ALL_SCRIPTS | BigramFlag.FROM_TEXT | (isWords ? BigramFlag.ASCII_WORDS : 0)]),
  };
  return [tokenizer, ...between, bigrams, ...stages.slice(at + 1)];
}

/** Whether a stage gives the same result if lower-casing precedes it. */
function commutesWithLower({ id, config }: KernelStage): boolean {
  // The possessive stemmer and articles that ignore case work in either case, and lower-casing creates no apostrophes; full-width letters have case.
  if (id === StageId.STEM) return config.length === 4 && config[0] === Stemmer.ENGLISH_POSSESSIVE;
  return id === StageId.ELISION ? config[0] === IGNORE_CASE : id === StageId.NORMALIZE && config[0] === Normalization.CJK_WIDTH;
}

function lowerInTokenizer(stages: readonly KernelStage[]): KernelStage[] {
  if (stages.length > 2 && commutesWithLower(stages[1]) && stages[2].id === StageId.CASE && stages[2].config[0] === CaseVariant.LOWER) {
    stages = [stages[0], stages[2], stages[1], ...stages.slice(3)];
  }
  const [tokenizer, next] = stages;
  if (next?.id !== StageId.CASE || next.config[0] !== CaseVariant.LOWER) return [...stages];
  const config = new DataView(tokenizer.config.buffer, tokenizer.config.byteOffset);
  if (tokenizer.id === StageId.STANDARD) {
    const maxLength = config.getUint32(StandardConfig.maxLength, true);
    const flags = config.getUint32(StandardConfig.flags, true) | StandardFlag.LOWER;
    return [{ id: StageId.STANDARD, config: recordBytes(StandardConfig, { maxLength, flags }) }, ...stages.slice(2)];
  }
  if (tokenizer.id === StageId.CHAR_CLASS && config.getUint32(CharClassConfig.kind, true) === CharKind.LETTER) {
    const maxLength = config.getUint32(CharClassConfig.maxLength, true);
    const values = { maxLength, kind: CharKind.LOWERCASE, classes: 0, codePointCount: 0 };
    return [{ id: StageId.CHAR_CLASS, config: recordBytes(CharClassConfig, values) }, ...stages.slice(2)];
  }
  return [...stages];
}
