/** JSON text that is inserted into a response unchanged: a stored `_source`, never parsed. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
