/** Stage ids of chain blobs; the same numbers as assembly/analysis/stage-ids.ts (a test compares the two files). */
export const STAGE = {
  REPLAY: 1,
  STANDARD: 2,
  CHAR_CLASS: 3,
  KEYWORD: 4,
  CASE: 128,
  STOP: 129,
  FOLDING: 130,
  UNIQUE: 131,
} as const;
