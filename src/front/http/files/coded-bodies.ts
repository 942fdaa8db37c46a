// Compressed forms of bodies that stay in memory (files, answers of a cache): made when first asked for, gone with the body.
// A form is held only if it is at most half as long, and one for each coding, so that all of them take no more than the bodies do.
export type Coding = 'gzip' | 'br';

interface Form {
  /** parameters of the coding */
  kind: string;
  bytes: Buffer;
}

const formsOf = new WeakMap<Buffer, Map<Coding, Form>>();

/** From now on forms of this body are held; its bytes do not change. */
export function holdForms(body: Buffer): void {
  formsOf.set(body, new Map());
}

/**
 * The compressed form of a body whose forms are held.
 * @param kind  parameters of the coding, which decide about the bytes
 * @param code  makes the form
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
