// The Debian packages of the prose corpus, and which of their files it takes. The order counts: of equal paragraphs the first ones stay.

export const RFC_PACKAGES = [
  'doc-rfc-informational',
  'doc-rfc-old-std',
  'doc-rfc-misc',
  'doc-rfc-fyi-bcp',
  'doc-rfc-experimental',
  'doc-rfc-std',
] as const;

/** A package of HTML pages; `include` and `exclude` match paths. */
export interface HtmlSource {
  readonly name: string;
  readonly section: string;
  readonly include: RegExp;
  readonly exclude?: RegExp;
  /** Headings of sections to leave out. */
  readonly skipHeading?: RegExp;
  readonly keepPre?: boolean;
}

export const HTML_SOURCES: readonly HtmlSource[] = [
  { name: 'anarchism', section: 'anarchism', include: /\/html\/.*\.html$/, exclude: /links|linksorg|changelog/ },
  { name: 'linux-doc-6.1', section: 'linux', include: /\/html\/.*\.html$/, exclude: /\/translations\/|\/_sources\/|genindex|search\.html/ },
  {
    name: 'openjdk-17-doc',
    section: 'openjdk',
    include: /\/api\/.*\.html$/,
    exclude:
      /class-use|package-tree|package-use|index-files|overview-tree|help-doc|allclasses|allpackages|constant-values|serialized-form|deprecated-list|search\.html/,
    skipHeading: /Summary$|^(Methods|Fields|Properties|Nested classes\/interfaces) (declared|inherited) in/,
  },
  {
    name: 'python3.11-doc',
    section: 'python',
    include: /\/html\/.*\.html$/,
    exclude: /genindex|search\.html|\/_sources\/|py-modindex|contents\.html/,
  },
  { name: 'postgresql-doc-15', section: 'postgresql', include: /\.html$/, exclude: /bookindex/ },
  { name: 'debian-handbook', section: 'debian', include: /\/en-US\/.*\.html$/ },
  { name: 'installation-guide-amd64', section: 'debian', include: /\/en\/.*\.html$/ },
  { name: 'debian-policy', section: 'debian', include: /policy\.html\/.*\.html$/, exclude: /genindex|search\.html/ },
  { name: 'developers-reference', section: 'debian', include: /\.html$/, exclude: /genindex|search\.html/ },
  { name: 'debian-reference-en', section: 'debian', include: /\.en\.html$/ },
  { name: 'debian-faq', section: 'debian', include: /\.html$/ },
  { name: 'harden-doc', section: 'debian', include: /\/html\/en-US\/.*\.html$/ },
  { name: 'aptitude-doc-en', section: 'debian', include: /\.html$/ },
  { name: 'lilypond-doc-html', section: 'lilypond', include: /\/Documentation\/.*\.html$/, exclude: /-big-page|\.[a-z]{2}\.html$/ },
  { name: 'ada-reference-manual-2020', section: 'ada', include: /aarm2020\.html\/.*\.html$/, exclude: /-IDX|AA-0-/ },
  { name: 'apache2-doc', section: 'apache', include: /\/manual\/en\/.*\.html$/ },
  { name: 'erlang-doc', section: 'erlang', include: /\.html$/, exclude: /\/java\/|\/wx-/ },
  { name: 'python-django-doc', section: 'django', include: /\.html$/, exclude: /genindex|search\.html|\/_modules\/|py-modindex/ },
  { name: 'cppreference-doc-en-html', section: 'cppreference', include: /\/en\/c.*\.html$/ },
  { name: 'qtbase5-doc-html', section: 'qt', include: /\.html$/, exclude: /-members\.html|-example-|-obsolete\.html/ },
  { name: 'llvm-16-doc', section: 'llvm', include: /\/html\/.*\.html$/, exclude: /\/AMDGPU\/|genindex|search\.html/ },
  { name: 'git-doc', section: 'git', include: /\.html$/ },
  { name: 'octave-doc', section: 'octave', include: /\/octave\.html\/.*\.html$/ },
  { name: 'maxima-doc', section: 'maxima', include: /\/html\/.*\.html$/, exclude: /_toc|index/ },
  { name: 'gap-doc', section: 'gap', include: /\/doc\/(ref|tut)\/.*\.html$/, exclude: /_mj\.html|chapInd/ },
  { name: 'db5.3-doc', section: 'berkeleydb', include: /\.html$/, exclude: /\/api_reference\/(CXX|STL|TCL)|\/java\// },
  { name: 'vim-doc', section: 'vim', include: /\/html\/.*\.html$/, keepPre: true, exclude: /tags\.html|version\d/ },
  { name: 'exim4-doc-html', section: 'exim', include: /\.html$/, exclude: /concept_index|option_index|variable_index/ },
  { name: 'libreoffice-help-en-us', section: 'libreoffice', include: /\/text\/.*\.html$/ },
  { name: 'dpdk-doc', section: 'dpdk', include: /\/guides\/.*\.html$/, exclude: /genindex|search\.html/ },
  {
    name: 'racket-doc',
    section: 'racket',
    include: /\/doc\/racket\/.*\.html$/,
    exclude: /doc-index|search\/|-release|\/scheme\/|local-redirect/,
  },
];

/** Dictionaries: package and section. */
export const DICTIONARIES: ReadonlyArray<readonly [name: string, section: string]> = [
  ['dict-gcide', 'gcide'],
  ['dict-wn', 'wordnet'],
  ['dict-foldoc', 'foldoc'],
  ['dict-jargon', 'jargon'],
  ['dict-devil', 'devil'],
  ['dict-vera', 'vera'],
  ['dict-elements', 'elements'],
];

export const SWORD_PACKAGES = [
  'sword-comm-mhcc',
  'sword-comm-scofield',
  'sword-comm-tdavid',
  'sword-dict-naves',
  'sword-dict-strongs-greek',
  'sword-dict-strongs-hebrew',
  'sword-text-kjv',
  'sword-text-web',
] as const;

export const AWS_PACKAGE = 'python3-botocore';
export const MAN_PACKAGES = ['manpages', 'manpages-dev', 'freebsd-manpages'] as const;
export const PERL_PACKAGE = 'perl-doc';
export const GNOME_PACKAGE = 'gnome-user-docs';

export const OLD_TESTAMENT = (
  'Genesis,Exodus,Leviticus,Numbers,Deuteronomy,Joshua,Judges,Ruth,1 Samuel,2 Samuel,1 Kings,2 Kings,1 Chronicles,2 Chronicles,Ezra,Nehemiah,' +
  'Esther,Job,Psalms,Proverbs,Ecclesiastes,Song of Solomon,Isaiah,Jeremiah,Lamentations,Ezekiel,Daniel,Hosea,Joel,Amos,Obadiah,Jonah,Micah,Nahum,' +
  'Habakkuk,Zephaniah,Haggai,Zechariah,Malachi'
).split(',');
export const NEW_TESTAMENT = (
  'Matthew,Mark,Luke,John,Acts,Romans,1 Corinthians,2 Corinthians,Galatians,Ephesians,Philippians,Colossians,1 Thessalonians,2 Thessalonians,' +
  '1 Timothy,2 Timothy,Titus,Philemon,Hebrews,James,1 Peter,2 Peter,1 John,2 John,3 John,Jude,Revelation of John'
).split(',');
