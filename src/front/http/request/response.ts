// The response before its header is written.
import { findHeader, type HeaderField, lowerName } from '../../../http/wire/header.ts';

/** Fields that the server interprets are properties; all others are in `fields`. */
export class ResponseHead {
  status = 0;
  /** code and reason phrase if an upstream sent its own, e.g. `404 Gone Fishing` */
  statusLine = '';
  server: string | null = null;
  date: string | null = null;
  contentType = '';
  /** charset to append to the content type; modules that determine it remove it from `contentType` */
  charset = '';
  /** type and charset as a back end sent them; sent unchanged unless a filter changes either */
  #given: { text: string; type: string; charset: string } | null = null;
  /** -1: unknown */
  contentLength = -1;
  /** the single range that is sent, as positions in the whole body */
  range: { start: number; end: number } | null = null;
  /** seconds, -1: none */
  lastModified = -1;
  #locationText: string | null = null;
  /** as a back end writes it */
  locationName = 'Location';
  /** index among the fields at which an unchanged Location is sent */
  locationAt = 0;
  fields: HeaderField[] = [];
  trailers: HeaderField[] = [];

  /** Sets a type sent by a back end, and splits off the charset. */
  setContentType(text: string): void {
    const m = /; *charset=(?="?[^"])/i.exec(text);
    this.contentType = m ? text.slice(0, m.index) : text;
    this.charset = m ? text.slice(m.index + m[0].length).replace(/^"|"$/g, '') : '';
    this.#given = m ? { text, type: this.contentType, charset: this.charset } : null;
  }

  /** value of the Content-Type field, '' for none */
  get contentTypeText(): string {
    const { contentType, charset } = this;
    const given = this.#given;
    if (given && contentType === given.type && charset === given.charset) return given.text;
    return contentType && charset ? `${contentType}; charset=${charset}` : contentType;
  }

  get location(): string | null {
    return this.#locationText;
  }
  set location(text: string | null) {
    this.#locationText = text;
    this.locationAt = this.fields.length;
  }

  get(lname: string): HeaderField | null {
    return findHeader(this.fields, lname) ?? null;
  }
  add(name: string, value: string): HeaderField {
    const field = { name, lname: lowerName(name), value };
    this.fields.push(field);
    return field;
  }
  /** Replaces all fields of that name, in the place of the first; null removes them. */
  set(name: string, value: string | null): void {
    const lname = lowerName(name);
    const old = findHeader(this.fields, lname);
    if (!old) {
      if (value !== null) this.fields.push({ name, lname, value });
      return;
    }
    const kept = value === null ? null : { name, lname, value };
    this.fields = this.fields.flatMap((f) => (f === old ? (kept ?? []) : f.lname === lname ? [] : f));
  }
}
