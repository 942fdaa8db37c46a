// The Perl package `nginx`: the request object of handlers, and the loop that serves the event loop's frames (frame.ts).
// The engine provides `exchange`, which sends a frame and returns the next one that arrives.
//   event loop > Perl   init MODULE-FOLDERS.. / REQUIRES.. / HANDLERS..     call ID ..     answer ERROR VALUE..
//   Perl > event loop   ready | failed MESSAGE | result ..                  ask ID OPERATIONS.. METHOD ARGUMENT..
// While a handler waits for an answer, the event loop may start a further call, when a handler reads a variable that another handler
// computes. Operations without a result (print, header_out ...) are collected and travel with the next frame, in order.
import { NGINX_VERSION } from '../../version.ts';

/** Bytes of `print` that are collected before they are sent. */
const PRINT_BYTES = 32768;

const CONSTANTS =
  'OK 0 DECLINED -5 HTTP_OK 200 HTTP_CREATED 201 HTTP_ACCEPTED 202 HTTP_NO_CONTENT 204 HTTP_PARTIAL_CONTENT 206 HTTP_MOVED_PERMANENTLY 301 ' +
  'HTTP_MOVED_TEMPORARILY 302 HTTP_REDIRECT 302 HTTP_SEE_OTHER 303 HTTP_NOT_MODIFIED 304 HTTP_TEMPORARY_REDIRECT 307 ' +
  'HTTP_PERMANENT_REDIRECT 308 HTTP_BAD_REQUEST 400 HTTP_UNAUTHORIZED 401 HTTP_PAYMENT_REQUIRED 402 HTTP_FORBIDDEN 403 HTTP_NOT_FOUND 404 ' +
  'HTTP_NOT_ALLOWED 405 HTTP_NOT_ACCEPTABLE 406 HTTP_REQUEST_TIME_OUT 408 HTTP_CONFLICT 409 HTTP_GONE 410 HTTP_LENGTH_REQUIRED 411 ' +
  'HTTP_REQUEST_ENTITY_TOO_LARGE 413 HTTP_REQUEST_URI_TOO_LARGE 414 HTTP_UNSUPPORTED_MEDIA_TYPE 415 HTTP_RANGE_NOT_SATISFIABLE 416 ' +
  'HTTP_INTERNAL_SERVER_ERROR 500 HTTP_SERVER_ERROR 500 HTTP_NOT_IMPLEMENTED 501 HTTP_BAD_GATEWAY 502 HTTP_SERVICE_UNAVAILABLE 503 ' +
  'HTTP_GATEWAY_TIME_OUT 504 HTTP_INSUFFICIENT_STORAGE 507';

/** Source of the package. The engine defines `nginx::exchange` and calls `nginx::dispatch`. */
export const NGINX_PACKAGE = String.raw`
# Compiles a handler of the configuration, outside the scope of the package's variables.
package main;
sub nginx::compile { return eval $_[0] }

package nginx;
use strict;
use warnings;

our $VERSION = '${NGINX_VERSION}';
our $active;        # state of the running call
my %next;           # handlers of sleep() and has_request_body(), by request
my @handlers;       # of the configuration: code, or the name of a sub
my @warnings;       # raised outside calls
my $IS_CODE = qr/^\s*(?:sub[ {]|use )/;   # source of a handler, else it is a name

BEGIN {
  my %constants = qw(${CONSTANTS});
  require constant;
  constant->import(\%constants);
  no strict 'refs';
  *{'nginx::import'} = sub {
    my $to = caller;
    no strict 'refs';
    *{"${'$'}{to}::$_"} = \&{"nginx::$_"} for keys %constants;
  };
  package main;
  nginx->import;
  $INC{'nginx.pm'} = 'nginx.pm';
  *CORE::GLOBAL::exit = sub { die "exit() would end the server, so it is not available\n" };
}

# ------------------------------------------------------------ frames

sub pack_frame { join '', map { defined $_ ? pack('N', length $_) . $_ : "\xff\xff\xff\xff" } @_ }

sub unpack_frame {
  my ($frame) = @_;
  my ($at, @items) = (0);
  while ($at < length $frame) {
    my $length = unpack 'N', substr $frame, $at, 4;
    $at += 4;
    if ($length == 0xffffffff) { push @items, undef; next }
    push @items, substr $frame, $at, $length;
    $at += $length;
  }
  return @items;
}

# Bytes of a value, as SvPV returns them: characters above 255 as UTF-8.
sub bytes {
  my ($value) = @_;
  $value = $$value if ref $value eq 'SCALAR';
  $value = defined $value ? "$value" : '';
  utf8::encode($value) if utf8::is_utf8($value);
  return $value;
}

sub integer { no warnings; my $value = $_[0]; return defined $value ? int($value + 0) : 0 }

sub dispatch {
  my ($kind, @items) = unpack_frame($_[0]);
  return $kind eq 'call' ? run_call(@items) : $kind eq 'init' ? init(@items) : change_user(@items);
}

sub init {
  my ($folders, $requires, @rest) = @_;
  unshift @INC, splice @rest, 0, $folders;
  for my $file (splice @rest, 0, $requires) {
    next if eval { require $file; 1 };
    return pack_frame('failed', qq{require_pv("$file") failed: "} . trimmed($@) . '"');
  }
  for my $source (@rest) {
    if ($source !~ $IS_CODE) { push @handlers, $source; next }
    my $code = compile($source);
    return pack_frame('failed', qq{eval_pv("$source") failed: "} . trimmed($@) . '"') unless ref $code eq 'CODE';
    push @handlers, $code;
  }
  return pack_frame('ready', splice @warnings);
}

# A sub that is written out in a page.
sub anonymous {
  my ($source) = @_;
  my $code = compile($source);
  return $code if ref $code eq 'CODE';
  my $why = $@;
  return sub { die $why };
}

sub trimmed { my ($text) = @_; $text = bytes($text); $text =~ s/[\r\n]+\z//; return $text }

# A server that was started as root gives up its rights after the interpreter was started.
sub change_user {
  my ($uid, $gid, @groups) = @_;
  require POSIX;
  $) = join ' ', $gid, $gid, @groups;
  POSIX::setgid($gid) if $( != $gid;
  POSIX::setuid($uid) or return pack_frame('failed', "setuid($uid) failed: $!");
  return pack_frame('ready');
}

sub run_call {
  my ($call, $request, $handler, $flags, $uri, $args, $method, $address, $dropped, @arguments) = @_;
  delete @next{split /,/, $dropped};
  my %state = (call => $call, id => $request, uri => $uri, args => $args, method => $method, address => $address, printed => '', operations => []);
  @state{qw(variable header_sent header_only)} = map { substr $flags, $_, 1 } 0 .. 2;
  my ($value, $error, $done);
  {
    local $active = \%state;
    local $@;
    my $sub = $handler eq 'next' ? delete $next{$request} : $handler =~ /^[0-9]+\z/ ? $handlers[$handler] : $handler;
    $sub = anonymous($sub) if defined $sub && !ref $sub && $sub =~ $IS_CODE;
    $sub = 'main::' . $sub if defined $sub && !ref $sub && $sub !~ /::|'/;
    my $r = bless \(my $id = $request), 'nginx';
    $done = eval {
      local $SIG{__DIE__};
      no strict 'refs';
      $value = defined $sub ? &$sub($r, @arguments) : die "the handler was lost when the interpreter was restarted\n";
      1;
    };
    $error = $done ? undef : trimmed($@);
    $error = 'unknown error' if !$done && $error eq '';
  }
  $value = $state{variable} ? bytes($value) : integer($value) if $done;
  collect_print(\%state);
  return pack_frame('result', $call, $error, $done ? $value : undef, @{$state{operations}});
}

# ------------------------------------------------------------ operations

sub fail {
  my ($message) = @_;
  my (undef, $file, $line) = caller(1);
  die "$message at $file line $line.\n";
}

# State of the call, if the request is the one that the handler runs for.
sub state_of {
  my ($r) = @_;
  return $active if ref $r && defined $active && $$r eq $active->{id};
  my (undef, $file, $line) = caller(1);
  die "invalid request object at $file line $line.\n";
}

sub collect_print {
  my ($state) = @_;
  return if $state->{printed} eq '';
  push @{$state->{operations}}, pack_frame('print', $state->{printed});
  $state->{printed} = '';
}

sub later {
  my ($state, @operation) = @_;
  collect_print($state);
  push @{$state->{operations}}, pack_frame(@operation);
}

# Asks the event loop. Returns its values, or dies with its error at the place of the caller.
sub ask {
  my ($state, $method, @arguments) = @_;
  collect_print($state);
  my $operations = delete $state->{operations};
  $state->{operations} = [];
  my $answer = exchange(pack_frame('ask', $state->{call}, scalar @$operations, @$operations, $method, @arguments));
  my ($kind, $error, @values);
  while (1) {
    ($kind, $error, @values) = unpack_frame($answer);
    last if $kind eq 'answer';
    $answer = exchange(dispatch($answer));
  }
  return @values if !defined $error;
  my (undef, $file, $line) = caller(1);
  die "$error at $file line $line.\n";
}

$SIG{__WARN__} = sub {
  my $text = trimmed($_[0]);
  if ($active) { later($active, 'warn', $text) } else { push @warnings, $text }
};

# ------------------------------------------------------------ the request

sub uri { state_of($_[0])->{uri} }
sub args { state_of($_[0])->{args} }
sub request_method { state_of($_[0])->{method} }
sub remote_addr { state_of($_[0])->{address} }
sub header_only { state_of($_[0])->{header_only} }

sub header_in {
  my ($r, $key) = @_;
  my $state = state_of($r);
  $state->{headers} ||= { ask($state, 'headers_in') };
  return $state->{headers}{lc bytes($key)};
}

sub status {
  my ($r, $code) = @_;
  my $state = state_of($r);
  fail('status(): cannot be used in variable handler') if $state->{variable};
  later($state, 'status', integer($code));
  return undef;
}

sub header_out {
  my ($r, $key, $value) = @_;
  my $state = state_of($r);
  fail('header_out(): cannot be used in variable handler') if $state->{variable};
  ($key, $value) = (bytes($key), bytes($value));
  fail("header_out(): invalid header \"$key\"") if $key !~ m{^[!#\$%&'*+.^_\x60|~0-9A-Za-z-]+\z} || $value =~ /[\r\n\0]/;
  later($state, 'header_out', $key, $value);
  return undef;
}

sub send_http_header {
  my ($r, @type) = @_;
  my $state = state_of($r);
  fail('send_http_header(): cannot be used in variable handler') if $state->{variable};
  fail('send_http_header(): header already sent') if $state->{header_sent};
  fail('send_http_header(): cannot be used with internal_redirect()') if $state->{redirected};
  $state->{header_sent} = 1;
  ($state->{header_only}) = ask($state, 'send_http_header', map { bytes($_) } @type);
  return undef;
}

sub sendable {
  my ($r, $name) = @_;
  my $state = $active;
  my $why = $state->{variable} ? 'cannot be used in variable handler' : $state->{header_sent} ? return $state : 'header not sent';
  my (undef, $file, $line) = caller(1);
  die "$name(): $why at $file line $line.\n";
}

sub print {
  my $r = shift;
  state_of($r);
  my $state = sendable($r, 'print');
  $state->{printed} .= bytes($_) for @_;
  ask($state, 'pass_on') if length $state->{printed} >= ${PRINT_BYTES};
  return;
}

sub flush {
  my ($r) = @_;
  state_of($r);
  later(sendable($r, 'flush'), 'flush');
  return;
}
sub rflush { my $r = shift; $r->flush }

sub sendfile {
  my ($r, $file, $offset, $bytes) = @_;
  state_of($r);
  my $state = sendable($r, 'sendfile');
  fail('sendfile(): NULL filename') unless defined $file;
  ask($state, 'sendfile', bytes($file), defined $offset ? integer($offset) : -1, integer($bytes));
  return undef;
}

sub allow_ranges {
  my $state = state_of($_[0]);
  fail('allow_ranges(): cannot be used in variable handler') if $state->{variable};
  later($state, 'allow_ranges');
  return undef;
}

sub internal_redirect {
  my ($r, $uri) = @_;
  my $state = state_of($r);
  fail('internal_redirect(): cannot be used in variable handler') if $state->{variable};
  fail('internal_redirect(): header already sent') if $state->{header_sent};
  $state->{redirected} = 1;
  later($state, 'internal_redirect', bytes($uri));
  return undef;
}

sub filename { my $state = state_of($_[0]); $state->{filename} = (ask($state, 'filename'))[0] unless defined $state->{filename}; $state->{filename} }

sub has_request_body {
  my ($r, $next) = @_;
  my $state = state_of($r);
  fail('has_request_body(): cannot be used in variable handler') if $state->{variable};
  fail('has_request_body(): another handler active') if $next{$state->{id}};
  my ($has) = ask($state, 'has_request_body');
  return undef unless $has;
  fail('has_request_body(): no handler provided') unless ref $next eq 'CODE';
  $next{$state->{id}} = $next;
  later($state, 'read_body');
  return 1;
}

sub request_body { my $state = state_of($_[0]); return (ask($state, 'request_body'))[0] }
sub request_body_file { my $state = state_of($_[0]); return (ask($state, 'request_body_file'))[0] }

sub discard_request_body {
  my $state = state_of($_[0]);
  fail('discard_request_body(): cannot be used in variable handler') if $state->{variable};
  ask($state, 'discard_request_body');
  return undef;
}

sub sleep {
  my ($r, $ms, $next) = @_;
  my $state = state_of($r);
  fail('sleep(): cannot be used in variable handler') if $state->{variable};
  fail('sleep(): another handler active') if $next{$state->{id}};
  fail('sleep(): no handler provided') unless ref $next eq 'CODE';
  $next{$state->{id}} = $next;
  later($state, 'sleep', integer($ms));
  return undef;
}

sub variable {
  my ($r, $name, @value) = @_;
  my $state = state_of($r);
  return (ask($state, 'variable', bytes($name)))[0] unless @value;
  later($state, 'set_variable', bytes($name), bytes($value[0]));
  return undef;
}

# As ngx_unescape_uri: 1 stops at the query, 2 decodes only what needs no escape in a redirect.
sub unescape {
  my ($r, $text, $type) = @_;
  state_of($r);
  $text = bytes($text);
  $type = integer($type);
  $text =~ s/(\?|%3[Ff]).*/$1/s if $type & 3;
  $text =~ s{%(?:([0-9A-Fa-f])(?:([0-9A-Fa-f])|(.?))|(.?))}{
    defined $2 ? decoded(hex "$1$2", "%$1$2", $type) : defined $4 ? $4 : ''
  }gse;
  return $text;
}
sub decoded { my ($code, $escaped, $type) = @_; return $type & 2 && $code != 63 && ($code <= 37 || $code >= 127) ? $escaped : chr $code }

sub log_error {
  my ($r, $errno, $message) = @_;
  my $state = state_of($r);
  $errno = $$errno if ref $errno eq 'SCALAR';
  # The event loop has the system's numbers and texts: those of WebAssembly differ.
  later($state, 'log_error', bytes($message), integer($errno));
  return undef;
}

1;
`;
