// Exceptions that scripts can name, throw and catch.
import { defineClass } from '../java/class-info.ts';
import { Throwable } from '../java/faults.ts';

const members = (name: string) => ({
  'new()': () => new Throwable(name, null),
  'new(String)': (message: string | null) => new Throwable(name, message),
});

defineClass('java.lang.Exception', ['java.lang.Object'], {
  members: {
    ...members('java.lang.Exception'),
    'String getMessage()': (self: Throwable) => self.message,
    'String getLocalizedMessage()': (self: Throwable) => self.message,
    'StackTraceElement[] getStackTrace()': () => [],
  },
});

/** Exceptions by the one that they extend, after it. */
const EXCEPTIONS: ReadonlyArray<readonly [parent: string, names: readonly string[]]> = [
  [
    'java.lang.Exception',
    [
      ...['java.lang.RuntimeException', 'java.lang.ReflectiveOperationException', 'java.lang.CloneNotSupportedException'],
      ...['java.lang.InterruptedException', 'java.text.ParseException', 'java.util.TooManyListenersException'],
    ],
  ],
  [
    'java.lang.ReflectiveOperationException',
    [
      ...['java.lang.ClassNotFoundException', 'java.lang.IllegalAccessException', 'java.lang.InstantiationException'],
      ...['java.lang.NoSuchFieldException', 'java.lang.NoSuchMethodException'],
    ],
  ],
  [
    'java.lang.RuntimeException',
    [
      ...[
        'java.lang.ArithmeticException',
        'java.lang.ArrayStoreException',
        'java.lang.ClassCastException',
        'java.lang.IllegalArgumentException',
      ],
      ...['java.lang.IllegalMonitorStateException', 'java.lang.IllegalStateException', 'java.lang.IndexOutOfBoundsException'],
      ...['java.lang.NegativeArraySizeException', 'java.lang.NullPointerException', 'java.lang.SecurityException'],
      ...['java.lang.TypeNotPresentException', 'java.lang.UnsupportedOperationException', 'java.lang.EnumConstantNotPresentException'],
      ...['java.util.ConcurrentModificationException', 'java.util.EmptyStackException', 'java.util.MissingResourceException'],
      ...['java.util.NoSuchElementException', 'java.time.DateTimeException'],
    ],
  ],
  [
    'java.lang.IllegalArgumentException',
    [
      'java.lang.IllegalThreadStateException',
      'java.lang.NumberFormatException',
      'java.util.IllegalFormatException',
      'java.util.IllformedLocaleException',
    ],
  ],
  ['java.lang.IndexOutOfBoundsException', ['java.lang.ArrayIndexOutOfBoundsException', 'java.lang.StringIndexOutOfBoundsException']],
  ['java.util.NoSuchElementException', ['java.util.InputMismatchException']],
  [
    'java.time.DateTimeException',
    ['java.time.format.DateTimeParseException', 'java.time.temporal.UnsupportedTemporalTypeException', 'java.time.zone.ZoneRulesException'],
  ],
  [
    'java.util.IllegalFormatException',
    [
      ...[
        'java.util.IllegalFormatConversionException',
        'java.util.MissingFormatArgumentException',
        'java.util.UnknownFormatConversionException',
      ],
      ...[
        'java.util.DuplicateFormatFlagsException',
        'java.util.FormatFlagsConversionMismatchException',
        'java.util.IllegalFormatFlagsException',
      ],
      ...['java.util.IllegalFormatPrecisionException', 'java.util.IllegalFormatWidthException', 'java.util.MissingFormatWidthException'],
    ],
  ],
];

defineClass('java.lang.StackTraceElement', ['java.lang.Object']);
for (const [parent, names] of EXCEPTIONS) for (const name of names) defineClass(name, [parent], { members: members(name) });
