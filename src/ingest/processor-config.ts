// The parameters of a processor. Each is removed when it is read; what is left after the processor is built is an error.

import { JsonFloat } from '../common/json/json-float.ts';
import type { MutableJsonObject } from '../common/json/json-value.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { ApiError } from '../errors/api-error.ts';
import { JavaPattern } from '../regex/java-pattern.ts';
import { checkTemplate } from '../scripting/mustache.ts';
import { javaType } from './ingest-document.ts';

export class ProcessorConfig {
  readonly type: string;
  readonly #left: Map<string, unknown>;
  readonly tag: string | null;

  constructor(type: string, body: MutableJsonObject) {
    this.type = type;
    this.#left = new Map(Object.entries(body));
    this.tag = typeof body.tag === 'string' ? body.tag : null;
  }

  /** Names of the parameters that were not read. */
  left(): string[] {
    return [...this.#left.keys()];
  }

  error(property: string | null, reason: string): ApiError {
    const details: MutableJsonObject = { processor_type: this.type };
    if (this.tag !== null) details.processor_tag = this.tag;
    if (property !== null) details.property_name = property;
    return new ApiError('parse_exception', 400, property === null ? reason : `[${property}] ${reason}`, { details });
  }

  /** True for a parameter that is given, even as null, and was not read. */
  has(name: string): boolean {
    return this.#left.has(name);
  }

  /** Any value; undefined if it is not given. */
  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value ?? undefined;
  }

  required(name: string): unknown {
    const value = this.take(name);
    if (value === undefined) throw this.error(name, 'required property is missing');
    return value;
  }

  optionalText(name: string): string | null {
    const value = this.take(name);
    if (value === undefined) return null;
    if (typeof value !== 'string') throw this.error(name, `property isn't a string, but of type [${javaType(value)}]`);
    return value;
  }

  text(name: string, fallback?: string): string {
    const value = this.optionalText(name) ?? fallback;
    if (value === undefined) throw this.error(name, 'required property is missing');
    return value;
  }

  /** A string that may contain `{{field}}`. */
  template(name: string, fallback?: string): string {
    return this.#checked(name, this.text(name, fallback));
  }

  /** A value whose strings, at any depth, may contain `{{field}}`. */
  requiredTemplates(name: string): unknown {
    const check = (value: unknown): void => {
      if (typeof value === 'string') this.#checked(name, value);
      else if (Array.isArray(value)) value.forEach(check);
      else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) check([key, item]);
    };
    const value = this.required(name);
    check(value);
    return value;
  }

  #checked(name: string, template: string): string {
    try {
      if (template.includes('{{')) checkTemplate(template);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { details } = this.error(name, '');
      throw new ApiError(error.type, error.status, error.reason, { details: { ...details, ...error.details } });
    }
    return template;
  }

  /** A string or number, as a string. */
  textOrNumber(name: string): string | null {
    const value = this.take(name);
    if (value === undefined) return null;
    if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof JsonFloat))
      throw this.error(name, `property isn't a string or int, but of type [${javaType(value)}]`);
    return String(value);
  }

  boolean(name: string, fallback = false): boolean {
    const value = this.take(name);
    if (value === undefined) return fallback;
    if (value === true || value === false) return value;
    throw this.error(name, `property isn't a boolean, but of type [${javaType(value)}]`);
  }

  optionalList(name: string): unknown[] | null {
    const value = this.take(name);
    if (value === undefined) return null;
    if (!Array.isArray(value)) throw this.error(name, `property isn't a list, but of type [${javaType(value)}]`);
    return value;
  }

  texts(name: string): string[] {
    const list = this.optionalList(name);
    if (list === null) throw this.error(name, 'required property is missing');
    return list.map((item) => this.#itemText(name, item));
  }

  /** A string or a list of strings. */
  textOrTexts(name: string): string[] | null {
    const value = this.take(name);
    if (value === undefined) return null;
    return Array.isArray(value) ? value.map((item) => this.#itemText(name, item)) : [this.#itemText(name, value)];
  }

  #itemText(name: string, item: unknown): string {
    if (typeof item !== 'string') throw this.error(name, `property isn't a string, but of type [${javaType(item)}]`);
    return item;
  }

  optionalObject(name: string): MutableJsonObject | null {
    const value = this.take(name);
    if (value === undefined) return null;
    if (!isJsonObject(value)) throw this.error(name, `property isn't a map, but of type [${javaType(value)}]`);
    return value;
  }

  /** A regular expression, compiled. */
  pattern(name: string): JavaPattern {
    const source = this.text(name);
    try {
      return new JavaPattern(source);
    } catch (error) {
      if (error instanceof ApiError) throw this.error(name, `Invalid regex pattern. ${error.reason}`);
      throw error;
    }
  }
}
