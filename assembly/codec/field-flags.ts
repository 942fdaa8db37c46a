// Flags of a field: what its postings record. The same bits everywhere: in the header of a term dictionary (there the low four), in the fields section
// of an image, in buffers, encoders, cursors and query nodes. The host reads them from src/wasm/generated/codec.ts, which the build writes from this
// file: after a change run `npm run build:wasm`. They are stored in segments, so a changed meaning is a new version of the format.

export const FIELD_DOCS: u32 = 1;
export const FIELD_FREQS: u32 = 2;
export const FIELD_POSITIONS: u32 = 4;
export const FIELD_OFFSETS: u32 = 8;
/** The flags above, as a term dictionary stores them. */
export const FIELD_POSTINGS: u32 = 15;
export const FIELD_NORMS: u32 = 16;
/** Kind of the field's column (ColumnKind of buffer/layout.ts). */
export const FIELD_COLUMN_SHIFT: u32 = 8;
export const FIELD_COLUMN: u32 = 7 << FIELD_COLUMN_SHIFT;
/** The record names a nested path, not a field (fields section only). */
export const FIELD_PATH: u32 = 1 << 12;
