// The end of a tokenizer's batch.
import { Chain, Stage } from '../stage';
import { TOKEN_BYTES } from '../token';

/**
 * Records where the next batch continues.
 * @param cur   where reading stopped in the text
 * @param base  address from which offsets count: `cur` minus its offset in UTF-16 units
 * @param out   end of the batch's terms
 * @param token end of its tokens
 * @returns the number of tokens
 */
export function finishBatch(chain: Chain, stage: Stage, cur: usize, base: usize, out: usize, token: usize): i32 {
  chain.cur = cur;
  chain.unitBase = base;
  chain.endOffset = <u32>(cur - base);
  stage.termCur = out;
  return <i32>((token - stage.tokens) / TOKEN_BYTES);
}
