// All classes that every script may use.
import './lang.ts';
import './exceptions.ts';
import './functions.ts';
import './locale.ts';
import './collections.ts';
import './maps.ts';
import './utilities.ts';
import './streams.ts';
import './patterns.ts';
import './text.ts';
