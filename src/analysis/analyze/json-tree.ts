// JSON as a tree that records the position of each value and how each number was written, which parsed values do not.

import { setOwn } from '../../common/json/own-property.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import type { SettingTree, SettingValue } from '../settings.ts';

/** A value and the offset at which it starts. */
export type JsonNode = { readonly at: number } & (
  | { readonly kind: 'string'; readonly value: string }
  /** `text`: the number as written. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
);

export interface JsonMember {
  readonly key: string;
  readonly keyAt: number;
  readonly node: JsonNode;
}

/** @param text valid JSON, possibly with comments and a byte order mark; the caller has refused anything else */
export function readJsonTree(text: string): JsonNode {
  return new TreeReader(text).value();
}

/** `line:column` of an offset, both from 1, the column in UTF-8 bytes, like Jackson. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  return `${before.split('\n').length}:${new TextEncoder().encode(before.slice(lineStart)).length + 1}`;
}

/** Jackson's name for the first token of a value. */
export function tokenName(node: JsonNode): string {
  return node.kind === 'array' || node.kind === 'object' ? `START_${node.kind.toUpperCase()}` : `VALUE_${node.kind.toUpperCase()}`;
}

/** The value as settings store it: numbers are strings as Java writes them, so that `1.50` becomes `1.5` and `1e2` becomes `100.0`. */
export function settingOf(node: JsonNode): SettingValue {
  switch (node.kind) {
    case 'number':
      return /^-?\d+$/.test(node.text) ? node.text : javaDouble(Number(node.text));
    case 'array':
      return node.items.map(settingOf);
    case 'object': {
      const tree: SettingTree = Object.create(null);
      for (const { key, node: member } of node.members) setOwn(tree, key, settingOf(member));
      return tree;
    }
    case 'null':
      return null;
    default:
      return node.value;
  }
}

class TreeReader {
  #at: number;

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  value(): JsonNode {
    this.#skip();
    const at = this.#at;
    switch (this.#text[at]) {
      case '"':
        return { at, kind: 'string', value: this.#string() };
      case '{': {
        const members: JsonMember[] = [];
        this.#list('}', () => {
          const keyAt = this.#at;
          const key = this.#string();
          this.#skip();
          this.#at++;
          members.push({ key, keyAt, node: this.value() });
        });
        return { at, kind: 'object', members };
      }
      case '[': {
        const items: JsonNode[] = [];
        this.#list(']', () => items.push(this.value()));
        return { at, kind: 'array', items };
      }
    }
    while (/[-+.\w]/.test(this.#text[this.#at] ?? '')) this.#at++;
    const word = this.#text.slice(at, this.#at);
    if (word === 'null') return { at, kind: 'null' };
    if (word === 'true' || word === 'false') return { at, kind: 'boolean', value: word === 'true' };
    return { at, kind: 'number', text: word };
  }

  #list(close: string, item: () => void): void {
    this.#at++;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at++;
      else if (this.#text[this.#at] !== close) item();
      else break;
    }
    this.#at++;
  }

  #string(): string {
    const from = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    return JSON.parse(this.#text.slice(from, ++this.#at));
  }

  /** Blanks and comments. */
  #skip(): void {
    const blank = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*/y;
    blank.lastIndex = this.#at;
    blank.exec(this.#text);
    this.#at = blank.lastIndex;
  }
}
