// What is going to be answered, before the header is written.
import { findHeader, type HeaderField, lowerName } from '../../../http/wire/header.ts';

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
  /** type and charset as a back end wrote them, which is how they are sent unless a filter changes them */
  #given: { text: string; type: string; charset: string } | undefined;
  /** -1: not known */
  contentLength = -1;
  /** the one range that is sent, in bytes of the whole */
  range: { start: number; end: number } | undefined;
  /** seconds, -1: none */
  lastModified = -1;
  #locationText: string | undefined;
  /** a Location that is sent as it is stands among the fields, where it was set */
  locationAt = 0;
  fields: HeaderField[] = [];
  trailers: HeaderField[] = [];

  /** Takes a type as a back end wrote it, and splits the charset off. */
  setContentType(text: string): void {
    const m = /; *charset=/i.exec(text);
    this.contentType = m ? text.slice(0, m.index) : text;
    this.charset = m ? text.slice(m.index + m[0].length).replace(/^"|"$/g, '') : '';
    this.#given = m ? { text, type: this.contentType, charset: this.charset } : undefined;
  }

  /** value of the field Content-Type, '' for none */
  get contentTypeText(): string {
    const { contentType, charset } = this;
    const given = this.#given;
    if (given && contentType === given.type && charset === given.charset) return given.text;
    return contentType && charset ? `${contentType}; charset=${charset}` : contentType;
  }

  get location(): string | undefined {
    return this.#locationText;
  }
  set location(text: string | undefined) {
    this.#locationText = text;
    this.locationAt = this.fields.length;
  }

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
