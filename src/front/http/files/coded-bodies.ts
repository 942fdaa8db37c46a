// Compressed forms of bodies that stay in memory (files, cached responses): created on first use, dropped with the body.
// A form is stored only if it is at most half as long as the body, one per coding, so that all forms together take no more than the body.
export type Coding = 'gzip' | 'br';

interface Form {
  /** parameters of the coding */
  kind: string;
  bytes: Buffer;
}

const formsOf = new WeakMap<Buffer, Map<Coding, Form>>();

/** Enables storing forms of this body, whose bytes must not change. */
export function holdForms(body: Buffer): void {
  formsOf.set(body, new Map());
}

/**
 * The compressed form of a body, from memory if it is stored.
 * @param kind  parameters of the coding, which determine the bytes
 * @param code  compresses the body
 */
export function formOf(body: Buffer, coding: Coding, kind: string, code: () => Buffer): Buffer {
  const forms = formsOf.get(body);
  const known = forms?.get(coding);
  if (known?.kind === kind) return known.bytes;
  const bytes = code();
  if (forms && bytes.length <= body.length / 2) forms.set(coding, { kind, bytes });
  return bytes;
}

export const holdsForms = (body: Buffer): boolean => formsOf.has(body);
