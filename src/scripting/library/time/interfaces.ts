// Interfaces of java.time that the other tables of this folder name.
import { defineClass } from '../../java/class-info.ts';

export const OBJECT = ['java.lang.Object'];
defineClass('java.time.chrono.ChronoLocalDate', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});
defineClass('java.time.chrono.ChronoLocalDateTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});
defineClass('java.time.chrono.ChronoZonedDateTime', ['java.time.temporal.Temporal', 'java.lang.Comparable'], {});
