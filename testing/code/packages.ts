// The npm packages that each room may import, with reasons.

/** Package with permitted importers: rooms, files of rooms, edges. */
export const PACKAGES: [name: RegExp, places: readonly string[], because: string][] = [
  [/^next(\/|$)/, ['app', 'proxy.ts', 'serve.ts'], 'the core runs under plain Node'],
  [/^react(-dom)?(\/|$)/, ['app'], 'the core runs under plain Node'],
  [/^server-only$/, [], 'it throws outside of the React server condition'],
  [
    /^(pg|@prisma\/.*)$/,
    ['lib/store', 'lib/embedded-database/embedded'],
    'every statement lives in the store; the embedded server is asked whether it answers',
  ],
  [
    /^jose$/,
    [
      'lib/keys',
      'lib/tokens',
      'lib/auth-methods/broker',
      'app/(console)/developer/playground',
      'packages/verify',
    ],
    'keys and tokens are these rooms’ business; the playground and packages/verify check tokens as others do',
  ],
  [/^nodemailer(\/|$)/, ['lib/kit/mail'], 'mail leaves in one place'],
  [/^(prom-client|@opentelemetry\/.*)$/, ['lib/observability'], 'what is off is not even loaded'],
  [
    /^@node-rs\/(argon2|bcrypt)$/,
    ['lib/kit/password-hash', 'lib/kit/kept-hashes'],
    'its use is bounded in one place',
  ],
  [/^(intl-messageformat|@formatjs\/.*)$/, ['lib/language'], 'messages are put together in one place'],
  [/^sharp$/, ['lib/pictures/drawing-process'], 'pictures are decoded in a process of their own'],
  [/^minisearch$/, ['app/documentation/_guides/search'], 'one index of the guides'],
  [/^undici$/, ['lib/outbound'], 'calls to others leave in one place'],
  [/^ipaddr\.js$/, ['lib/outbound', 'lib/http/forwarding'], 'callers and called addresses are read there'],
  [/^(@simplewebauthn\/server|otpauth|qrcode)$/, ['lib/factors'], 'only who proves a factor loads them'],
  [/^ldapts$/, ['lib/catalogue/methods/ldap'], 'directories are asked in one place'],
  [/^csv-parse(\/|$)/, ['packages/moving-in/src/source'], 'only an import of CSV loads it'],
  [/^iron-session$/, ['lib/sessions/session-rows'], 'session cookies are sealed in one place'],
  [
    /^openid-client$/,
    ['lib/auth-methods/broker', 'cli/sign-in'],
    'brokers are called in one place; the command line is a client of the service',
  ],
];
