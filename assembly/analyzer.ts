// Export list of the analyzer build: the analysis kernels alone, over an unshared memory, for browsers and `gannet/analyzer`.
export {
  chainInit as analysisChainInit,
  chainStart as analysisChainStart,
  chainNext as analysisChainNext,
  chainHeldPosInc as analysisChainHeldPosInc,
  chainMapCount as analysisChainMapCount,
  chainMap as analysisChainMap,
  chainPayload as analysisChainPayload,
} from './analysis/run';
export { hasReplacement as textHasReplacement } from './text/utf8';
export { heapBase as memHeapBase } from './mem/layout';
