// Runs character filters where the host needs their output: before a tokenizer or character filter that runs on the host, and for `explain`.
import type { AnalysisHost, ChainProgram } from '../../wasm/analysis.ts';
import { StageId } from '../../wasm/generated/analysis.ts';
import { chainBlob, type KernelStage } from '../blob.ts';
import type { CharFilter, FilteredText } from '../component.ts';
import { decodeWtf8, encodeWtf8 } from '../tokens/wtf8.ts';
import { OffsetMap } from './offset-map.ts';

type Step = { program: ChainProgram; size: number } | { apply(input: FilteredText): FilteredText };

const KEYWORD: KernelStage = { id: StageId.KEYWORD, config: new Uint8Array(0) };

/** A sequence of character filters; consecutive kernels run together. */
export class CharFilterChain {
  readonly #steps: Step[] = [];

  readonly #host: AnalysisHost;

  constructor(charFilters: readonly CharFilter[], host: AnalysisHost) {
    this.#host = host;
    let stages: KernelStage[] = [];
    const flush = (): void => {
      if (stages.length) this.#steps.push({ program: { blob: chainBlob([...stages, KEYWORD]) }, size: stages.length });
      stages = [];
    };
    for (const filter of charFilters) {
      if (filter.kind === 'kernel') stages.push(filter.stage);
      else {
        flush();
        this.#steps.push(filter);
      }
    }
    flush();
  }

  apply(text: string): FilteredText {
    let filtered: FilteredText = { text, correct: (offset) => offset };
    for (const step of this.#steps) filtered = 'apply' in step ? step.apply(filtered) : this.#run(step.program, step.size, filtered);
    return filtered;
  }

  #run(program: ChainProgram, size: number, input: FilteredText): FilteredText {
    let text = '';
    this.#host.run(
      program,
      encodeWtf8(input.text),
      (bytes, words, tokensPtr) => {
        const at = tokensPtr >>> 2;
        text = decodeWtf8(bytes, words[at], words[at] + words[at + 1]);
      },
      () => {},
    );
    const maps = Array.from({ length: size }, (_, i) => OffsetMap.of(this.#host.offsetMap(program, i)));
    return { text, correct: (offset) => input.correct(maps.reduceRight((at, map) => map.correct(at), offset)) };
  }
}
