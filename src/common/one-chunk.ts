// A stream of one chunk, for consumers of streams whose data is in memory as a whole.

export async function* oneChunk<Bytes extends Uint8Array>(bytes: Bytes): AsyncGenerator<Bytes> {
  if (bytes.length > 0) yield bytes;
}
