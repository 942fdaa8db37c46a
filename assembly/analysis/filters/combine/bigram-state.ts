// State that cjk-bigram.ts and cjk-run.ts share, so that pairs may span both: the current run of characters.
import { Stage } from '../../stage';

// @ts-ignore: decorator
@unmanaged
export class BigramState extends Stage {
  /** Characters in the run, and how many of them have already started a gram. */
  runLength: u32;
  started: u32;
  /** End offset of the last character. */
  runEnd: u32;
  /** 1 if the unigram of the next character has been emitted and its bigram has not. */
  isPairDue: u32;
}
