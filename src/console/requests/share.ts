// Links that contain requests: compressed text in the fragment, which browsers do not send to the service.

const MAX_CHARS = 200_000;

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array<ArrayBuffer>>(stream).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > maxBytes) throw new Error('the text of the link is too long');
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The value of `load` in a link. */
export async function packText(text: string): Promise<string> {
  const packed = await throughStream(new TextEncoder().encode(text), new CompressionStream('deflate-raw'), Number.POSITIVE_INFINITY);
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws Error the value is not one of `packText` */
export async function unpackText(value: string): Promise<string> {
  const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await throughStream(bytes, new DecompressionStream('deflate-raw'), MAX_CHARS));
}
