/** JSON text that is written into a response as it stands: a stored `_source`, spliced without parsing. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
