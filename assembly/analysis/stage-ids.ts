// Stage ids as they stand in chain blobs; src/analysis/stage-ids.ts has the same numbers. Producers are below 128, in-place filters above.
export const S_REPLAY: u32 = 1;
export const S_STANDARD: u32 = 2;
export const S_CHAR_CLASS: u32 = 3;
export const S_KEYWORD: u32 = 4;

export const FIRST_FILTER: u32 = 128;
export const S_CASE: u32 = 128;
export const S_STOP: u32 = 129;
export const S_FOLDING: u32 = 130;
export const S_UNIQUE: u32 = 131;
