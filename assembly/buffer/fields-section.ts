// Fields section: names and kinds of the fields of a segment; a field's number in the segment is its index here.
//   ├ count u32 │ 0 ┬ record: bytes u32 (of the record, multiple of 8) │ flags u32 │ nameLength u32 │ 0 │ name, padded ┬ ··· ┤
// Flags: FIELD_* of codec/field-flags.ts. A record with FIELD_PATH names a nested path.

export const FIELDS_HEADER_BYTES: usize = 8;
const RECORD_HEADER_BYTES: usize = 16;

/** Bytes of one record. */
// @ts-ignore: decorator
@inline
export function fieldRecordBytes(nameLength: u32): usize {
  return RECORD_HEADER_BYTES + ((<usize>nameLength + 7) & ~7);
}

/** Starts a section; the caller has checked that the header fits. */
export function fieldsOpen(ptr: usize): void {
  store<u64>(ptr, 0);
}

/** Appends a record at `cur`; returns one past it. The caller has checked that it fits. */
export function fieldsAdd(section: usize, cur: usize, flags: u32, namePtr: usize, nameLength: u32): usize {
  const bytes = fieldRecordBytes(nameLength);
  memory.fill(cur, 0, bytes);
  store<u32>(cur, <u32>bytes);
  store<u32>(cur, flags, 4);
  store<u32>(cur, nameLength, 8);
  memory.copy(cur + RECORD_HEADER_BYTES, namePtr, nameLength);
  store<u32>(section, load<u32>(section) + 1);
  return cur + bytes;
}

// @ts-ignore: decorator
@inline
export function fieldFlags(record: usize): u32 {
  return load<u32>(record, 4);
}

// @ts-ignore: decorator
@inline
export function fieldNameLength(record: usize): u32 {
  return load<u32>(record, 8);
}

// @ts-ignore: decorator
@inline
export function fieldName(record: usize): usize {
  return record + RECORD_HEADER_BYTES;
}

// @ts-ignore: decorator
@inline
export function nextFieldRecord(record: usize): usize {
  return record + load<u32>(record);
}
