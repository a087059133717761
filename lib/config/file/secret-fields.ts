// The secrets of the file, each as `x`, or as `x_env` in a variable: what they may be made of, and which are too short.

import { ownWordFault } from '#lib/accounts/password-policy.ts';
import { wordsOf } from '#lib/language/words.ts';
import { keyOrSecretText, passwordText, secretText } from '#lib/registry/fields/values.ts';
import { METHOD_KINDS } from '#lib/registry/methods/kinds.ts';
import { type Environment, type FileFinding, type Found, isObject, objects, type Raw, text } from './raw.ts';

type SecretField = {
  section: string;
  key: string;
  value: typeof secretText;
  leastLength: number | 'password';
  /** the key of the item that it is in */
  within?: string;
};

/** `leastLength`: fewer characters are a warning; 0 where another service has chosen it. */
export const SECRET_FIELDS: readonly SecretField[] = [
  ...[...new Set(METHOD_KINDS.flatMap(({ secret }) => (secret && !secret.within ? secret.key : [])))].map(
    (key) => ({
      section: 'auth_methods',
      key,
      value: secretText,
      leastLength: 0,
    }),
  ),
  ...METHOD_KINDS.flatMap(({ secret }) =>
    secret?.signing
      ? [
          {
            section: 'auth_methods',
            key: secret.signing.key,
            within: secret.signing.in,
            value: keyOrSecretText,
            leastLength: 0,
          },
        ]
      : [],
  ),
  ...METHOD_KINDS.flatMap(({ secret }) =>
    secret?.within
      ? [
          {
            section: 'auth_methods',
            key: secret.key,
            within: secret.within,
            value: secretText,
            leastLength: 0,
          },
        ]
      : [],
  ),
  { section: 'apis', key: 'introspection_secret', value: secretText, leastLength: 16 },
  { section: 'clients', key: 'client_secret', value: secretText, leastLength: 16 },
  { section: 'users', key: 'password', value: passwordText, leastLength: 'password' },
];

type Given = { path: (string | number)[]; key: string; item: Raw; field: SecretField };

/** Every place of the file that gives a secret, by itself or by a variable. */
function secretsIn(document: Raw): Given[] {
  return SECRET_FIELDS.flatMap((field) =>
    objects(document[field.section]).flatMap(([index, whole]) => {
      const { within } = field;
      const item = within === undefined ? whole : whole[within];
      if (!isObject(item)) return [];
      const path = [field.section, index, ...(within === undefined ? [] : [within])];
      return [field.key, `${field.key}_env`]
        .filter((key) => key in item)
        .map((key): Given => ({ path: [...path, key], key, item, field }));
    }),
  );
}

const isVariable = ({ key, field }: Given) => key !== field.key;

function secretOf(given: Given, env: Environment): string | undefined {
  const written = text(given.item[given.key]);
  return isVariable(given) && written ? env[written] : written;
}

/** `host`: of this service, where it is known. */
export function checkSecrets(
  document: Raw,
  { env, host }: { env: Environment; host: string | null },
  found: Found,
): void {
  for (const given of secretsIn(document)) {
    const { path, item, field } = given;
    if (isVariable(given)) {
      const message = field.key in item ? `must not stand beside ${field.key}` : variableFault(given, env);
      if (message !== null) found(path, message);
    }
    const password = secretOf(given, env);
    if (field.section !== 'users' || !password) continue;
    const owner = { email: text(item.email) ?? null, name: text(item.name) ?? '', host };
    const wrong = ownWordFault(password, owner);
    if (wrong !== null) found(path, wordsOf('en').told(wrong));
  }
}

/** What schema.ts asks of a value, asked of the variable's. The value is not repeated. */
function variableFault(given: Given, env: Environment): string | null {
  const name = text(given.item[given.key]);
  if (!name) return null;
  if (!env[name]) return `the environment variable ${name} is not set`;
  const parsed = given.field.value.safeParse(env[name]);
  return parsed.success ? null : `the environment variable ${name} ${parsed.error.issues[0]?.message}`;
}

/** Secrets that are easily guessed, which are accepted with a warning. `leastPassword`: in characters. */
export function shortSecrets(document: unknown, env: Environment, leastPassword: number): FileFinding[] {
  if (!isObject(document)) return [];
  return secretsIn(document).flatMap((given) => {
    const { leastLength } = given.field;
    const least = leastLength === 'password' ? leastPassword : leastLength;
    const value = secretOf(given, env);
    if (value === undefined || [...value].length >= least) return [];
    return [{ path: given.path, message: `is shorter than ${least} characters` }];
  });
}
