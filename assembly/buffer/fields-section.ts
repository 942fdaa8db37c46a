// Fields section: names and kinds of the fields of a segment; a field's number in the segment is its index here.
//   ├ count u32 │ 0 ┬ FieldRecord │ name, padded to a multiple of 8 ┬ ··· ┤

export const FIELDS_HEADER_BYTES: usize = 8;

/** A field, followed by its name. */
// @ts-ignore: decorator
@unmanaged
export class FieldRecord {
  /** Size of the record with the name. */
  bytes: u32;
  /** FIELD_* of codec/field-flags.ts. With FIELD_PATH the record names a nested path. */
  flags: u32;
  nameLength: u32;
  reserved: u32;
}

/** Bytes of one record. */
// @ts-ignore: decorator
@inline
export function fieldRecordBytes(nameLength: u32): usize {
  return offsetof<FieldRecord>() + ((<usize>nameLength + 7) & ~7);
}

/** Starts a section; the caller has checked that the header fits. */
export function fieldsOpen(ptr: usize): void {
  store<u64>(ptr, 0);
}

/** Appends a record at `cur`; returns one past it. The caller has checked that it fits. */
export function fieldsAdd(section: usize, cur: usize, flags: u32, namePtr: usize, nameLength: u32): usize {
  const bytes = fieldRecordBytes(nameLength);
  memory.fill(cur, 0, bytes);
  const record = changetype<FieldRecord>(cur);
  record.bytes = <u32>bytes;
  record.flags = flags;
  record.nameLength = nameLength;
  memory.copy(cur + offsetof<FieldRecord>(), namePtr, nameLength);
  store<u32>(section, load<u32>(section) + 1);
  return cur + bytes;
}

// @ts-ignore: decorator
@inline
export function fieldName(record: usize): usize {
  return record + offsetof<FieldRecord>();
}
