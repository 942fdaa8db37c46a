/** What is going to be answered, before the header is written. */
import { findHeader, type HeaderField, lowerName } from './header.ts';

/** Response headers with a meaning of their own; everything else is in `fields`. */
export class ResponseHead {
  status = 0;
  /** reason phrase with code where an upstream gave its own, e.g. `404 Gone Fishing` */
  statusLine = '';
  server: string | undefined;
  date: string | undefined;
  contentType = '';
  /** charset to append; taken off contentType by the setter of the module that knows it */
  charset = '';
  /** -1: not known */
  contentLength = -1;
  /** the one range that is sent, in bytes of the whole */
  range: { start: number; end: number } | undefined;
  /** seconds, -1: none */
  lastModified = -1;
  location: string | undefined;
  fields: HeaderField[] = [];
  trailers: HeaderField[] = [];

  get(lname: string): HeaderField | undefined {
    return findHeader(this.fields, lname);
  }
  add(name: string, value: string): HeaderField {
    const field = { name, lname: lowerName(name), value };
    this.fields.push(field);
    return field;
  }
  /** Replaces every field of that name; an undefined value only removes. */
  set(name: string, value: string | undefined): void {
    const lname = lowerName(name);
    if (findHeader(this.fields, lname)) this.fields = this.fields.filter((f) => f.lname !== lname);
    if (value !== undefined) this.fields.push({ name, lname, value });
  }
}
