// Export list of the engine build. Each export is named after its folder and a verb.
export { heapBase as memHeapBase } from './mem/layout';
export { crc32c as codecCrc32c } from './codec/crc32c';
export { readVintSums as codecReadVintSums } from './codec/vints';
export {
  bitsetCount as codecBitsetCount,
  bitsetCountAnd as codecBitsetCountAnd,
  bitsetNext as codecBitsetNext,
} from './codec/bitset';
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
export { aggsAllocate, aggsCollect, aggsCollectRange } from './aggs/tree';
export {
  encoderBytes as postingsEncoderBytes,
  encoderInit as postingsEncoderInit,
  encoderBegin as postingsEncoderBegin,
  encoderAddDoc as postingsEncoderAddDoc,
  encoderAddPosition as postingsEncoderAddPosition,
  encoderFinish as postingsEncoderFinish,
} from './postings/encoder';
export {
  cursorOpen as postingsCursorOpen,
  cursorNext as postingsCursorNext,
  cursorAdvance as postingsCursorAdvance,
  cursorFreq as postingsCursorFreq,
} from './postings/cursor';
export {
  cursorStartPositions as postingsCursorStartPositions,
  cursorNextPosition as postingsCursorNextPosition,
} from './postings/cursor-positions';
export { termsLookup, termsSeek, termsTerm } from './terms/dictionary';
export { termsWalk } from './terms/cursor';
export { termsHash, termsHashes } from './terms/hashes';
export {
  columnGet as docvaluesColumnGet,
  columnBounds as docvaluesColumnBounds,
  columnFirst as docvaluesColumnFirst,
} from './docvalues/column';
export { columnSort as docvaluesColumnSort, columnWrite as docvaluesColumnWrite } from './docvalues/column-writer';
export {
  bufferInit,
  bufferReset,
  bufferAddField,
  bufferAllocate,
  bufferSetChain,
  bufferUsedBytes,
} from './buffer/buffer';
export { bufferAdd, bufferDelete } from './buffer/document';
export { bufferFlush } from './buffer/flush';
export { imageChecksum as bufferImageChecksum } from './buffer/image';
export { idTableFind as bufferIdTableFind, idTableGet as bufferIdTableGet } from './buffer/id-table';
export {
  mergeOpen,
  mergeAllocate,
  mergeMark,
  mergeRelease,
  mergeCursor,
  mergeFree,
  mergeSection,
  mergeFinish,
  mergeImage,
  mergeDocMap,
  mergeNorms,
  mergeCollect,
  mergeColumn,
  mergeCountOrds,
  mergeBinary,
  mergeBits,
  mergeIdBytes,
  mergeIdsOpen,
  mergeIds,
} from './buffer/merge';
export { bisectMeasure, bisectTermsBytes, bisectAdd, bisectStarts, bisectStep, bisectFinish } from './buffer/bisect';
export { reorderKeys, reorderSort, reorderCollect, reorderBinary, reorderIds, reorderAreaBytes, reorderMostOccurrences } from './buffer/reorder';
export { mergeTermsBytes, mergeTermsOpen, mergeTermsStep } from './buffer/merge-terms';
export { termsSideBytes } from './terms/writer';
export { executorInit, executorRun, executorFinish, executorBitset, executorAccept } from './executor/run';
export { contextStatus as searchStatus, contextCounter as searchCounter } from './search/context';
export { fuzzyScratchBytes as termsFuzzyScratchBytes, termsFuzzy } from './terms/fuzzy';
export { scanRange as vectorsScanRange, scanFinish as vectorsScanFinish } from './vectors/scan';
export { graphInit as vectorsGraphInit, upperWords as vectorsUpperWords } from './vectors/graph';
export { codesCentroid as vectorsCentroid, codesEncode as vectorsEncode, codesEncodeQuery as vectorsEncodeQuery } from './vectors/codes';
export { graphSearch as vectorsGraphSearch, graphFinish as vectorsGraphFinish } from './vectors/graph-search';
export { graphAdopt as vectorsGraphAdopt, graphInsert as vectorsGraphInsert, graphRepair as vectorsGraphRepair } from './vectors/graph-build';
