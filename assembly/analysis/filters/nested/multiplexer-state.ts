// State of the stage that repeats the tokens of a multiplexer; the conditions of its branches read whose turn it is.
import { SourceState } from '../../nested';

// @ts-ignore: decorator
@unmanaged
export class SelectState extends SourceState {
  /** Branch whose turn it is. */
  turn: u32;
  hasToken: u32;
}
