// Settings of what people may do: sessions, second factors, passwords, languages, clients.
import { z } from 'zod';
import { LANGUAGES } from './languages.ts';
import { inCode, type Setting } from './setting.ts';
import { bearerToken, choice, secondsFrom1, whole, yesOrNo } from './values.ts';

export const PEOPLE_SETTINGS = {
  SESSION_IDLE: {
    as: 'sessionIdleSeconds',
    value: secondsFrom1.default(1_800),
    means: 'seconds without use after which a sign-in session ends',
    unset: '`1800`',
  },
  SESSION_MAX: {
    as: 'sessionMaxSeconds',
    value: secondsFrom1.default(43_200),
    means: 'seconds after which a sign-in session ends in any case',
    unset: '`43200`',
  },
  CONSOLE_SECOND_FACTOR: {
    as: 'consoleSecondFactor',
    value: choice(['off', 'optional', 'required'], 'off, optional or required').default('optional'),
    means:
      'a second factor at the console. `off`: for no one; `optional`: for people who have one; `required`: approvers and administrators must have one',
    unset: '`optional`',
  },
  SECOND_FACTOR_GRACE_DAYS: {
    as: 'secondFactorGraceDays',
    value: whole(0, 365, 'days').default(0),
    means: 'days for which a person may postpone a required second factor, from when they are first told',
    unset: '`0`',
  },
  TRUSTED_BROWSER_DAYS: {
    as: 'trustedBrowserDays',
    value: whole(0, 365, 'days').default(30),
    means:
      'days for which a browser that the person trusts is not asked for the second factor; `0`: always asked',
    unset: '`30`',
  },
  PASSKEY_RP_ID: {
    value: z.string().optional(),
    means:
      'the RP ID of passkeys (WebAuthn): the host of `AUTH_URL`, or a domain above it. Changing it makes existing passkeys useless',
    unset: 'the host of `AUTH_URL`',
  },
  PASSWORD_MIN_LENGTH: {
    as: 'passwordMinLength',
    value: whole(8, 64, 'characters').default(8),
    means:
      'least characters of a new password, from 8 to 64. NIST SP 800-63B-4 requires 15 where a password is the only factor',
    unset: '`8`',
  },
  PASSWORD_RANGE_URL: {
    as: 'passwordRangeUrl',
    value: z.url('must be an address such as https://api.pwnedpasswords.com/range/').optional(),
    secret: 'url',
    means:
      'a service that knows leaked passwords, such as `https://api.pwnedpasswords.com/range/`; see [self-service.md](self-service.md#passwords)',
    unset: 'only the list in the product',
  },
  CLIENTS_PER_OWNER: {
    as: 'clientsPerOwner',
    value: whole(1, 1_000_000).default(100),
    means: 'most clients of a person who is not an administrator; see [below](#limits-for-developers)',
    unset: '`100`',
  },
  EDITS_PER_MINUTE: {
    as: 'editsPerMinute',
    value: whole(1, 1_000_000).default(60),
    means:
      'most changes of clients and subscriptions by such a person in a minute; ten times as many in an hour. Ten decisions of one bulk count as one',
    unset: '`60`',
  },
  CLIENT_DOCUMENTS_PRIVATE_NETWORK: {
    as: 'clientDocumentsPrivateNetwork',
    value: yesOrNo,
    means:
      '`true`: client documents, their logos, back-channel addresses, sector lists and `jwks_uri` may have private addresses, and http on this machine',
    unset: '`false`',
  },
  REGISTRATION_TOKEN: {
    as: 'registrationToken',
    value: bearerToken.optional(),
    secret: 'token',
    means:
      'the bearer token for `{issuer}/register`, 16 or more characters; see [dynamic registration](agents.md#dynamic-registration)',
    unset: 'that address does not exist',
  },
  OPEN_REGISTRATION: {
    as: 'openRegistration',
    value: yesOrNo,
    means:
      '`true`, for development: `{issuer}/register` takes public clients of this machine without a token. It counts only while `BASE_URL` is on `localhost`, `127.0.0.1` or `[::1]`; see [dynamic registration](agents.md#dynamic-registration)',
    unset: '`false`',
  },
  DEFAULT_LANGUAGE: {
    as: 'defaultLanguage',
    value: z.enum(LANGUAGES, { error: `must be one of ${LANGUAGES.join(', ')}` }).default('en'),
    means: `the language of pages and mails for readers of other languages: ${inCode(LANGUAGES)}`,
    unset: '`en`',
  },
  SERVICE_NAME: {
    as: 'serviceName',
    value: z
      .string()
      .regex(/^(?=.*\S)[^\p{Cc}]{1,60}$/u, 'must be a name of at most 60 characters')
      .transform((name) => name.trim())
      .default('Gatehouse'),
    means:
      'the name of the service on pages, in mails, in authenticator apps and for passkeys, at most 60 characters',
    unset: '`Gatehouse`',
  },
} as const satisfies Record<string, Setting>;
