// Exceptions of java.time.
import { raise } from '../../java/faults.ts';

export const badTime = (message: string): never => raise('java.time.DateTimeException', message);
export const unsupported = (what: string): never => raise('java.time.temporal.UnsupportedTemporalTypeException', what);
