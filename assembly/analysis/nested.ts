// Stages that contain a chain of their own: condition and multiplexer (filters/nested/).
//   area ├─ address of the terms u32 ─┬─ 0 × 12 ─┬─ verdicts u8 × BATCH ─┬─ region of the inner chain ─┬─ terms of the batch ─┤
import { BATCH, Chain, Stage } from './stage';
import { StageId } from './stage-ids';
import { ConditionConfig } from './stage-configs';

/** Offsets in the area, and in a condition's config, of the verdicts and of the inner chain's blob. */
export const VERDICTS: usize = 16;
const BLOB: usize = offsetof<ConditionConfig>();
/** Upper bound of the bytes before the inner region; a multiple of 64. */
export const INNER_HEAD: usize = 768;

// @ts-ignore: decorator
@unmanaged
export class NestedState extends Stage {
  /** 1 while the inner chain is running. */
  isRunning: u32;
  /** Tokens of the inner chain's current batch, and how many of them have been emitted. */
  innerCount: u32;
  innerTaken: u32;
}

/** State of the first stage of an inner chain, which reads the outer one. */
// @ts-ignore: decorator
@unmanaged
export class SourceState extends Stage {
  /** The outer chain, and its stage that contains this chain. */
  outer: usize;
  holder: usize;
}

// @ts-ignore: decorator
@inline
export function hasInner(id: u32): bool {
  return id == StageId.CONDITION || id == StageId.MULTIPLEXER;
}

/** Region of the inner chain of a stage. */
// @ts-ignore: decorator
@inline
export function innerRegion(stage: Stage): usize {
  return (stage.termsPtr + VERDICTS + BATCH + 63) & ~63;
}

// @ts-ignore: decorator
@inline
export function innerChain(stage: Stage): Chain {
  return changetype<Chain>(innerRegion(stage));
}

/** Address of the blob of the inner chain. */
// @ts-ignore: decorator
@inline
export function innerBlob(id: u32, config: usize): usize {
  return id == StageId.CONDITION ? config + BLOB : config;
}

/** Start of the terms of the stage's own batch, after the inner region. */
// @ts-ignore: decorator
@inline
export function outerTerms(stage: Stage): usize {
  return load<u32>(stage.termsPtr);
}
